package configs

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"assay/configs/input"
)

// remembered returns a function that compiles each folder once; nil for nil.
func remembered(folder func(string) (Method, error)) func(string) (Method, error) {
	if folder == nil {
		return nil
	}
	type result struct {
		m   Method
		err error
	}
	var mu sync.Mutex
	known := map[string]result{}
	return func(dir string) (Method, error) {
		mu.Lock()
		defer mu.Unlock()
		got, ok := known[dir]
		if !ok {
			got.m, got.err = folder(dir)
			known[dir] = got
		}
		return got.m, got.err
	}
}

// besides returns the end of the error about an unknown name where a folder of that name lies beside the experiment.
func (known Known) besides(k *key, v any, dir string) string {
	if k.part == "" {
		return ""
	}
	for _, s := range elements(v) {
		if s == "" || isPath(s) || known.Choices(k.choices).Has(s) {
			continue
		}
		if st, err := os.Stat(absolute(dir, s)); err == nil && st.IsDir() {
			return fmt.Sprintf("; for the folder of that name write %q", "./"+s)
		}
	}
	return ""
}

// unread says what is wrong with the folders and files that a checked value names; empty where they can be read.
func (known Known) unread(k *key, v any) string {
	for _, s := range elements(v) {
		why := ""
		switch {
		case k.kind == blocks && s != "" && s != BlockKept:
			_, err := BlockText(s)
			if err != nil {
				why = fmt.Sprintf("cannot be read: %v: a block's text stands in a file, beside the experiment", err)
			}
		case k.part != "" && isPath(s):
			why = known.unfit(s, k.part)
		case k.reads && s != "":
			why = unfile(s)
		case (k.path == "arm.dir" || k.path == "metric.dir") && s != "":
			why = undir(s)
		case k.path == "arm.sources" || k.path == "metric.sources":
			if err := matched(s, map[string]bool{}); err != nil {
				why = fmt.Sprintf("%q %v", s, err)
			}
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// unfile says why a path is no file that can be read; empty where it is one.
func unfile(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Sprintf("%q cannot be read: %v", path, input.Cause(err))
	case !info.Mode().IsRegular():
		return fmt.Sprintf("%q is no file", path)
	}
	return ""
}

// undir says why a path is no folder that can be worked in; empty where it is one.
func undir(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Sprintf("%q cannot be used: %v", path, input.Cause(err))
	case !info.IsDir():
		return fmt.Sprintf("%q is no folder", path)
	}
	return ""
}

// unfit says why a folder cannot be used where a part is wanted.
func (known Known) unfit(dir, part string) string {
	if known.Folder == nil {
		return fmt.Sprintf("%q is a folder, and only built-in names can be used here", dir)
	}
	m, err := known.Folder(dir)
	switch {
	case err != nil:
		return fmt.Sprintf("cannot be used: %v", err)
	case !m.Defines(part):
		return fmt.Sprintf("%q defines %s, not %s: name a folder that defines %s", dir, and(m.Parts), part, part)
	}
	if name := known.overruled(m); name != "" {
		return fmt.Sprintf("%q: the default of %s changes nothing, because %s.%s of the experiment overrules it: leave it and set that, or remove table = %q", dir, name, m.Table, name, m.Table)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
		if _, why := known.setting(name, m.Settings[name]); why != "" {
			return fmt.Sprintf("%q: its settings: %s %s", dir, name, why)
		}
	}
	return ""
}

// overruled returns a param whose default in a user's folder is another than that of the built-in methods with its table, and
// never holds: an arm's table has a value for every key. Empty: there is none. fixer.tries has none until it is stated.
func (known Known) overruled(m Method) string {
	for _, own := range slices.Concat(known.Methods, known.Parts) {
		if own.Table == "" || own.Table != m.Table {
			continue
		}
		for _, p := range m.Params {
			differs := func(q Param) bool {
				return q.Name == p.Name && fmt.Sprintf("%#v", q.Default) != fmt.Sprintf("%#v", p.Default)
			}
			if slices.ContainsFunc(own.Params, differs) && m.Table+"."+p.Name != "fixer.tries" {
				return p.Name
			}
		}
	}
	return ""
}

// setting returns a method's own setting of a key of [model] with the key's type, or says what is wrong with it.
func (known Known) setting(name string, v any) (any, string) {
	k := armScope["model."+name]
	if k == nil {
		return nil, "is no key of [model]" + armScope.didYouMean("model."+name)
	}
	v, why := k.convert(v)
	if why == "" {
		why = k.allowed(v, known)
	}
	return v, why
}

// fillSettings gives arms the model keys that their method sets, by its own settings or an agent's preset, where neither the
// arm nor the top of the file states them. It must run before the defaults are filled in, after which every key looks stated.
func (l *loader) fillSettings(d *document) {
	for i, a := range d.arms {
		sets := map[string]any{}
		m := l.known.methodOf(a)
		for name, v := range m.Settings {
			if v, why := l.known.setting(name, v); why == "" {
				sets["model."+name] = v
			}
		}
		maps.Copy(sets, l.known.presetIn(d.top, a))
		for p, v := range sets {
			if _, above := d.top[p]; !above && a[p].v == nil {
				a[p] = value{v: v, at: d.at[i]}
			}
		}
	}
	l.checkSwept(d)
}

// checkSwept refuses a swept method with settings that the file does not state: they could hold in no cell, because a cell is
// an arm with the sweep's values in it, whose model is resolved before.
func (l *loader) checkSwept(d *document) {
	for _, a := range d.axes {
		if a.name != "method" || l.src.ran {
			continue
		}
		for _, v := range a.values {
			id, _ := v.(string)
			m := l.known.Method(id)
			for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
				if !m.Agent && !d.states("model."+name) {
					l.bad(a.at, "sweep: method: %s sets model.%s itself, which a sweep cannot: state model.%s in the file, or give the method an arm of its own", PartName(id), name, name)
				}
			}
		}
	}
}

// states reports whether the file states a key for every arm.
func (d *document) states(path string) bool {
	swept := slices.ContainsFunc(d.axes, func(a axis) bool { p, _, _ := axisKey(a.name); return p == path })
	_, above := d.top[path]
	return swept || above || !slices.ContainsFunc(d.arms, func(a layer) bool { _, own := a[path]; return !own })
}

// blockTexts holds the text of every block's file that was read, by path.
var blockTexts sync.Map

// BlockText returns the text of the file that replaces a block, read once in a process: what a run's identity and its copies
// hold must be what its prompts hold, whoever edits the file meanwhile.
func BlockText(path string) (string, error) {
	if known, ok := blockTexts.Load(path); ok {
		return known.(string), nil
	}
	text, err := readBlock(path)
	if err != nil {
		return "", err
	}
	known, _ := blockTexts.LoadOrStore(path, text)
	return known.(string), nil
}

// readBlock reads the text that replaces a block. One with a key is an error: it would go to the model, and stand in the run's
// folder and in the ledger.
func readBlock(path string) (string, error) {
	b, err := input.Text(path, input.Block)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, input.Cause(err))
	}
	if name := keyIn(b); name != "" {
		return "", fmt.Errorf("%s: holds the value of %s, which would be sent to the model and stay in the run's folder: take it out", path, name)
	}
	if at := keyForm.FindIndex(b); at != nil {
		return "", fmt.Errorf("%s: line %d: has what looks like a key, which would be sent to the model and stay in the run's folder: take it out", path, 1+bytes.Count(b[:at[1]], []byte("\n")))
	}
	return string(b), nil
}
