package configs

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// Cells lists every arm at every sweep point. Sweep points are the outer loop, with the first axis slowest; arms are the
// inner loop, in the file's order. Without a sweep the cells are the arms. A swept value overrides what an arm states; a
// swept strategy replaces a preset, and a swept preset replaces a strategy and its levels.
//
// The experiment must come from Load: Cells panics on an axis that Load would refuse.
func (e Experiment) Cells() []Cell {
	cells := e.cells()
	for i := range cells {
		e.Known.dropForeign(&cells[i].Arm)
	}
	return cells
}

// stated is a setting of a sweep point with the value itself.
type stated struct {
	Setting
	v any
}

// cells is Cells with all params and blocks, also those that an arm's method lacks.
func (e Experiment) cells() []Cell {
	points := [][]stated{nil}
	for _, a := range e.Sweep {
		var longer [][]stated
		for _, p := range points {
			for _, v := range a.Values {
				longer = append(longer, append(p[:len(p):len(p)], stated{Setting{a.Key, v}, a.value(v)}))
			}
		}
		points = longer
	}
	cells := make([]Cell, 0, len(points)*len(e.Arms))
	for _, p := range points {
		var shown []Setting
		for _, s := range p {
			shown = append(shown, s.Setting)
		}
		for _, arm := range e.Arms {
			arm = e.Known.with(arm, p)
			arm.Published = arm.repeats()
			cells = append(cells, Cell{Arm: arm, Point: shown})
		}
	}
	return cells
}

// value returns the value that is shown so.
func (a Axis) value(shown string) any {
	if v, ok := a.Stated[shown]; ok {
		return v
	}
	if _, k, ok := axisKey(a.Key); ok {
		return k.parse(shown)
	}
	return shown
}

// with returns the arm with the settings of a sweep point, applied through the key table.
func (known Known) with(a Arm, point []stated) Arm {
	if len(point) == 0 {
		return a
	}
	tree, err := a.tree()
	if err != nil {
		panic(fmt.Sprintf("configs: arm %q: %v", a.Name, err))
	}
	for _, s := range presetsFirst(point) {
		path, _, ok := axisKey(s.Key)
		if !ok {
			panic(fmt.Sprintf("configs: arm %q: unknown parameter %q", a.Name, s.Key))
		}
		for _, p := range displaced(path, s.Value) {
			plant(tree, p, nil)
		}
		plant(tree, path, s.v)
		if path == "agent.preset" {
			plantAgent(tree, s.Value, known)
		}
	}
	out, err := fromTree[Arm](tree)
	if err != nil {
		panic(fmt.Sprintf("configs: arm %q: %v", a.Name, err))
	}
	known.Attach(&out)
	if out.Row.Program { // it has the params that its arm states, and no other that a sweep brings
		out.Row.Params = a.Row.Params
	}
	return out
}

// settingForm matches a key of the arm in braces, as in arm.published.
var settingForm = regexp.MustCompile(`\{([a-z_.]+)\}`)

// repeats returns the published row that the arm repeats at its sweep point, with each key in braces replaced by the arm's
// value. Braces around anything else are kept, so that checkCells can refuse them.
func (a Arm) repeats() string {
	if !strings.Contains(a.Published, "{") {
		return a.Published
	}
	flat, err := a.tree()
	if err != nil {
		panic(fmt.Sprintf("configs: arm %q: %v", a.Name, err))
	}
	return settingForm.ReplaceAllStringFunc(a.Published, func(s string) string {
		at := any(flat)
		for _, name := range strings.Split(strings.Trim(s, "{}"), ".") {
			below, _ := at.(map[string]any)
			at = below[name]
		}
		switch v := at.(type) {
		case nil, map[string]any:
			return s
		case string:
			if filepath.IsAbs(v) { // a folder's or file's name, without its place
				return filepath.Base(v)
			}
		}
		return plain(at)
	})
}

// tree returns the arm as nested tables of TOML values.
func (a Arm) tree() (out map[string]any, err error) {
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(a); err != nil {
		return nil, err
	}
	_, err = toml.Decode(b.String(), &out)
	return out, err
}

// displaced lists the keys that a swept value replaces.
func displaced(path, value string) []string {
	switch {
	case value == "":
	case path == "exemplars.preset":
		return []string{"exemplars.strategy", "exemplars.levels"}
	case path == "exemplars.strategy":
		return []string{"exemplars.preset"}
	case path == "choose":
		return []string{"selection.rule"}
	case path == "selection.rule":
		return []string{"choose"}
	}
	return nil
}

// plant puts v at a dotted path; nil removes the value there.
func plant(tree map[string]any, path string, v any) {
	head, rest, below := strings.Cut(path, ".")
	switch {
	case below:
		sub, ok := tree[head].(map[string]any)
		if !ok {
			sub = map[string]any{}
			tree[head] = sub
		}
		plant(sub, rest, v)
	case v == nil:
		delete(tree, head)
	default:
		tree[head] = v
	}
}

// fromTree decodes nested tables of checked values into a struct. It goes through TOML text, so that the struct's tags are
// the only mapping from keys to fields.
func fromTree[T any](tree map[string]any) (out T, err error) {
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(tree); err != nil {
		return out, err
	}
	_, err = toml.Decode(b.String(), &out)
	return out, err
}

// plain prints a value as Axis and Setting hold it: text without quotes, other values as the shortest TOML.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return show(v)
	}
	s, err := literal(v)
	if err != nil {
		return show(v)
	}
	return s
}

// BlockOff is how an axis shows a block that is switched off.
const BlockOff = "off"

// shown prints a value as Axis and Setting hold it: as plain does, but a folder or a file by its name alone, so that no path
// of a machine is in a run's files.
func (k *key) shown(v any) string {
	s, isText := v.(string)
	switch {
	case isText && k.kind == blocks && s == "":
		return BlockOff
	case isText && (k.kind == blocks || k.part != "" && isPath(s)):
		return filepath.Base(s)
	}
	return plain(v)
}

// renameHint says what to do about two folders or files that are shown alike; empty for other values.
func renameHint(k *key, v any) string {
	s, _ := v.(string)
	switch {
	case k.kind == blocks && filepath.IsAbs(s):
		return ": tables show a file by its name without its folder; rename one"
	case k.part != "" && isPath(s):
		return ": tables show a folder by its name alone; rename one"
	}
	return ""
}

// parse parses what plain printed. Values were checked before; one that does not parse stays text, and decoding it into the
// struct fails.
func (k *key) parse(s string) any {
	switch {
	case k.kind == blocks && s == BlockOff:
		return ""
	case k.kind == text || k.kind == duration || k.kind == blocks || k.kind == effort || k.kind == variables:
		return s
	}
	v, ok := parseTOML(s)
	if !ok {
		return s
	}
	if out, why := k.convert(v); why == "" {
		return out
	}
	return s
}

// TOML writes the experiment so that Parse reads the same value again in any folder: paths are absolute, and each arm states
// what it inherited.
func (e Experiment) TOML() ([]byte, error) {
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("configs: write %q: %w", e.Name, err)
	}
	if len(e.Sweep) > 0 {
		b.WriteString("\n[sweep]\n")
	}
	for _, a := range e.Sweep {
		line, err := a.line()
		if err != nil {
			return nil, fmt.Errorf("configs: write %q: sweep %q: %w", e.Name, a.Key, err)
		}
		b.WriteString(line)
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("${"), []byte("$${")), nil // variables are expanded already
}

// line prints the axis as a line of [sweep].
func (a Axis) line() (string, error) {
	if _, _, ok := axisKey(a.Key); !ok {
		return "", fmt.Errorf("unknown parameter")
	}
	printed := make([]string, len(a.Values))
	for i, s := range a.Values {
		var err error
		if printed[i], err = literal(a.value(s)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s = [%s]\n", toml.Key{a.Key}, strings.Join(printed, ", ")), nil
}
