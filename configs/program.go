package configs

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/configs/input"
)

// Program is a program in any language that assay runs beside itself: what `command` and the keys around it state. The zero
// value is none.
type Program struct {
	Command []string          `toml:"command,omitempty"` // the program and its arguments
	Dir     string            `toml:"dir,omitempty"`     // working directory, absolute once loaded
	Env     map[string]string `toml:"env,omitempty"`     // variables of its environment, besides those that every program gets
	Sources []string          `toml:"sources,omitempty"` // files, folders and patterns, absolute once loaded; see Files
	Startup Duration          `toml:"startup,omitzero"`  // above 0: the program says when it is ready, within this time
	Timeout Duration          `toml:"timeout,omitzero"`  // of one answer; 0: the usual one
}

// ProgramFile is a file that a program's identity depends on.
type ProgramFile struct {
	Name string // within the working directory, with slashes; of a file elsewhere "outside/" and its last name
	Text []byte
}

// sourceText reads a file. One with the value of a variable that holds a key is an error: the run's folder would keep
// it. Such is also the environment of this process, which systems show as a file.
func sourceText(path string) ([]byte, error) {
	text, err := input.Read(path, input.Program)
	if err != nil {
		return nil, err
	}
	if name := keyIn(text); name != "" {
		return nil, fmt.Errorf("configs: read %q: it holds the value of %s, and the run's folder would keep a copy: leave it out of sources", path, name)
	}
	return text, nil
}

// keyIn returns the variable of the environment that holds a key whose value stands in the text; empty for none.
func keyIn(text []byte) string {
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if secretName.MatchString(name) && len(value) >= leastSecret && bytes.Contains(text, []byte(value)) {
			return name
		}
	}
	return ""
}

// leastSecret is the length from which the value of a variable is looked for: shorter ones are found in any text.
const leastSecret = 12

// mostFiles bounds the files that a program's sources may be.
const mostFiles = 1000

// MostSources bounds what the sources of an experiment's programs have together, in bytes.
const MostSources = 64 << 20

// Environ returns Env as "NAME=value", sorted.
func (p Program) Environ() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		out = append(out, name+"="+p.Env[name])
	}
	return out
}

// outside begins the names of files that are not in the working directory: where they lie is no part of a run's identity.
const outside = "outside"

// Files reads the files that identify a program, by name: those that Sources names, and the words of the command that name a
// file from the working directory, if it is small enough to be a source. Of a folder it has all files but those that are
// hidden or in __pycache__ or node_modules. The error names the source; more than most bytes are one too.
func (p Program) Files(most int) ([]ProgramFile, error) {
	paths, err := p.paths()
	if err != nil {
		return nil, err
	}
	out := make([]ProgramFile, 0, len(paths))
	taken := map[string]bool{}
	for _, path := range paths {
		name := p.nameOf(path)
		if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, fmt.Errorf("sources: the name %q has a character that cannot be printed: rename the file, or leave it out", path)
		}
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s/%d/%s", outside, n, filepath.Base(path))
		}
		taken[name] = true
		text, err := sourceText(path)
		if err != nil {
			return nil, fmt.Errorf("sources: %w", err)
		}
		if most -= len(text); most < 0 {
			return nil, fmt.Errorf("sources have more than %d MB: name the files that the program is written in", MostSources>>20)
		}
		out = append(out, ProgramFile{name, text})
	}
	slices.SortFunc(out, func(a, b ProgramFile) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// paths lists the files of a program, sorted.
func (p Program) paths() ([]string, error) {
	paths := map[string]bool{}
	for _, word := range p.Command {
		path := filepath.Join(p.Dir, word)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !filepath.IsAbs(word) && info.Size() <= input.Program.Most {
			paths[path] = true
		}
	}
	for _, s := range p.Sources {
		if err := matched(s, paths); err != nil {
			return nil, fmt.Errorf("sources: %q %w", s, err)
		}
	}
	return slices.Sorted(maps.Keys(paths)), nil
}

// nameOf names a file without the place of the working directory.
func (p Program) nameOf(path string) string {
	name, err := filepath.Rel(p.Dir, path)
	if err != nil || name == ".." || strings.HasPrefix(name, ".."+string(filepath.Separator)) {
		return outside + "/" + filepath.Base(path)
	}
	return filepath.ToSlash(name)
}

// matched adds the files that one source names: a file, a folder, or a pattern in the last part of its path. Anywhere else a
// pattern could have the whole disk searched.
func matched(source string, to map[string]bool) error {
	found := []string{source}
	if _, err := os.Stat(source); err != nil {
		if found, err = beside(source); err != nil {
			return err
		}
	}
	for _, path := range found {
		if err := within(path, to); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(to)), func(p string) bool {
		return slices.ContainsFunc(found, func(f string) bool { return p == f || strings.HasPrefix(p, f+string(filepath.Separator)) })
	}) {
		return fmt.Errorf("names no file")
	}
	return nil
}

// beside lists what a pattern matches in its folder.
func beside(pattern string) (out []string, err error) {
	dir, last := filepath.Split(pattern)
	entries, err := os.ReadDir(dir)
	if err != nil && strings.ContainsAny(dir, "*?[") {
		return nil, fmt.Errorf("has a pattern before the last part of its path: name the folder for all files below it")
	}
	for _, e := range entries {
		ok, bad := filepath.Match(last, e.Name())
		if bad != nil {
			return nil, fmt.Errorf("is no pattern: %w", bad)
		}
		if ok {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

// within adds a file, or the files of a folder.
func within(root string, to map[string]bool) error {
	return filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return input.Cause(err)
		}
		if d.IsDir() && path != root && passed(d.Name()) {
			return filepath.SkipDir
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || path != root && strings.HasPrefix(d.Name(), ".") {
			return nil // a link to nothing, or what programs write for themselves
		}
		to[path] = true
		if len(to) > mostFiles {
			return fmt.Errorf("names more than %d files: name those that the program is made of", mostFiles)
		}
		return nil
	})
}

// passed reports whether a folder within a source is no part of a program.
func passed(name string) bool {
	return strings.HasPrefix(name, ".") || name == "__pycache__" || name == "node_modules"
}

// The checks of a program's keys.

// words takes a command line: the program's name is not empty, and nothing has a NUL byte.
func words(v any) string {
	list := v.([]string)
	switch {
	case len(list) == 0 || strings.TrimSpace(list[0]) == "":
		return `is empty: state the program and its arguments, as in ["python3", "mine.py"]`
	case len(list) == 1 && strings.Contains(list[0], " "):
		return fmt.Sprintf("%q is one word with spaces, and no shell divides it: write each argument as a text of its own", list[0])
	case slices.ContainsFunc(list, func(s string) bool { return strings.ContainsRune(s, 0) }):
		return "has a NUL byte"
	case slices.ContainsFunc(list, secret):
		return "has a word that looks like a secret, which the run's files would hold: have the program read it from a file"
	}
	return ""
}

// given are the variables that assay sets itself.
var given = []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"}

var (
	// secretName matches the names of variables that hold keys.
	secretName = regexp.MustCompile(`(?i)(^|_)(api_?key|key|token|secret|password|passwd|pwd|credentials?|auth)$`)
	// secretForm matches values with the beginnings that providers give to their keys.
	secretForm = regexp.MustCompile(`^(sk-|sk_|ghp_|gho_|github_pat_|glpat-|hf_|AIza|AKIA|xox[a-z]-|eyJ|Bearer )`)
	// keyForm matches such a value within a text.
	keyForm = regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])(?:sk-|sk_|ghp_|gho_|github_pat_|glpat-|hf_|AIza|AKIA|xox[a-z]-)[A-Za-z0-9_-]{16,}`)
	// account matches an address with a password before its host.
	account = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://[^/@\s]*:[^/@\s]+@`)
	solid   = regexp.MustCompile(`^[A-Za-z0-9]{32,}$`)
)

// secret reports whether a value has the form of a key, or holds a password.
func secret(v string) bool {
	return secretForm.MatchString(v) || account.MatchString(v) || solid.MatchString(v) && mixed.MatchString(v)
}

// variableOf says what is wrong with a variable of a program's environment; empty for nothing. It does not repeat the value.
func variableOf(name, v string) string {
	switch {
	case !variableForm.MatchString(name):
		return "is no name of an environment variable: letters, digits and _"
	case slices.Contains(given, name):
		return "is set by assay itself, to the address at which the program reaches its model"
	case strings.ContainsFunc(v, func(r rune) bool { return r == 0 || unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return "has a control character"
	case secretName.MatchString(name) && v != "", secret(v):
		return "looks like a secret, which the run's files would hold: have the program read it from a file, and state the file's path"
	}
	return ""
}

// programs fills in what an arm with a command leaves out, and refuses keys that it has no use for. It runs before inheritance.
func (l *loader) programs(d *document) {
	id := l.known.program()
	for i, a := range d.arms {
		command, runs := a["command"]
		if !runs {
			l.unprogrammed(a, armName(d, i))
			continue
		}
		if method, stated := a["method"]; !stated && id != "" {
			a["method"] = value{v: id, at: command.at}
		} else if method.v != id || id == "" {
			l.bad(command.at, "%scommand and method are both stated: keep one", armName(d, i))
		}
		if isEmpty(a, "dir") {
			a["dir"] = value{v: l.src.dir, at: command.at}
		}
		l.checkEnv(a, armName(d, i))
		for _, p := range slices.Sorted(maps.Keys(a)) {
			if unusable(p) && !l.isDefault(p, a[p].v) {
				l.bad(a[p].at, "%s%s changes nothing in what a command asks: leave it out", armName(d, i), p)
			}
		}
		for _, x := range d.axes {
			if p, _, _ := axisKey(x.name); unusable(p) {
				l.bad(x.at, "sweep: %s changes nothing in arm %q, which is a command: give the command an experiment of its own, and join the runs", x.name, a["name"].v)
			}
		}
	}
}

// unprogrammed refuses the keys of a program in an arm without one.
func (l *loader) unprogrammed(a layer, arm string) {
	for _, p := range slices.Sorted(maps.Keys(a)) {
		if p == "dir" || p == "sources" || p == "startup" || p == "timeout" || p == "models" || strings.HasPrefix(p, "env.") {
			l.bad(a[p].at, "%s%s has no effect without command", arm, p)
		}
	}
	if id := l.known.program(); id != "" && a["method"].v == id {
		l.bad(a["method"].at, "%smethod %q without command: state the program and its arguments, as in command = [\"python3\", \"mine.py\"]", arm, id)
	}
}

// unusable reports whether a key is of a table that commands have no use for: what they ask is their own.
func unusable(path string) bool {
	for _, table := range []string{"exemplars.", "synthetic.", "agent."} {
		if strings.HasPrefix(path, table) {
			return true
		}
	}
	return false
}

// isDefault reports whether a value is that of an arm which does not state the key.
func (l *loader) isDefault(path string, v any) bool {
	k, none := armScope.find(path), []string{"", "0", "false", "[]"}
	if path == "exemplars.strategy" {
		return v == usualStrategy || v == ""
	}
	if k.def != nil {
		return fmt.Sprint(v) == fmt.Sprint(k.def)
	}
	return slices.Contains(none, fmt.Sprint(v))
}

// defaults gives an arm with a command the defaults of the keys that it has no use for.
func (a layer) defaults() {
	for p, k := range armScope {
		if _, stated := a[p]; !stated && unusable(p) && k.def != nil {
			a[p] = value{v: k.def}
		}
	}
	if isEmpty(a, "exemplars.strategy") {
		a["exemplars.strategy"] = value{v: usualStrategy}
	}
}

// program names the method of arms with a command; empty where there is none.
func (k Known) program() string {
	for _, m := range k.Methods {
		if m.Program {
			return m.ID
		}
	}
	return ""
}

// checkProgram refuses a swept method that leaves a command without effect, and a command without its method.
func (l *loader) checkProgram(at origin, where string, a Arm) {
	if a.Row.Program != (len(a.Command) > 0) {
		l.bad(at, "%s: command and method %q exclude each other: keep one", where, a.Method)
	}
}

// ownParams are the params that an arm with a command states: they are all that it has.
func (a Arm) ownParams() (out []Param) {
	own := openOf(a.Params, "")
	for _, name := range slices.Sorted(maps.Keys(own)) {
		out = append(out, Param{name, own[name]})
	}
	return out
}
