package configs

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// BlockKept is the value of a block that stays as its template has it.
const BlockKept = "kept"

// partNames are the parts whose params and blocks have a table of their own, in the order in which they work.
var partNames = []string{"schema", "link", "fix", "choose"}

// The parts that the tables of an arm ask for where it states none.
const (
	partValues  = "values"
	partColumns = "columns"
	partFixer   = "fixer"
	noColumns   = "none"  // the value of columns.use that chooses none
	firstRule   = "first" // the rule where none is stated
)

// Parts returns the parts that the arm uses, each by its built-in name or as the absolute path of a folder: those that it
// states, otherwise what its tables ask for. Empty: none of the kind, which cannot be for choose.
func (a Arm) Parts() (link []string, fix, choose string) {
	link, fix, choose = a.Link, a.Fix, a.Choose
	if len(link) == 0 {
		link = a.asked()
	}
	if fix == "" && a.Fixer.Tries > 0 {
		fix = partFixer
	}
	if choose == "" {
		choose = a.Selection.Rule
	}
	if choose == "" {
		choose = firstRule
	}
	return link, fix, choose
}

// asked lists the parts before the generators that the arm's tables ask for, in the order in which they work.
func (a Arm) asked() (link []string) {
	if a.Values.Use {
		link = append(link, partValues)
	}
	if a.Columns.Use != "" && a.Columns.Use != noColumns {
		link = append(link, partColumns)
	}
	return link
}

// PartName is a part's or method's name as tables print it: a folder by its base name.
func PartName(id string) string {
	if isPath(id) {
		return filepath.Base(id)
	}
	return id
}

// alike returns a name that two of these methods or parts have; empty where there is none.
func alike(ids []string) string {
	seen := map[string]bool{}
	for _, id := range ids {
		name := PartName(id)
		if isPath(id) { // a method of one file has its name without the ending
			name = strings.TrimSuffix(strings.TrimSuffix(name, ".star"), ".jinja")
		}
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// Rule names the rule by which the arm chooses among candidates, as tables print it.
func (a Arm) Rule() string {
	_, _, choose := a.Parts()
	return PartName(choose)
}

// Table returns the values of one of the arm's tables as TOML has them, such as "columns" or "synthetic"; of "agent", with
// the paper's settings in place of zeros; of "fixer", without tries where they are 0, which means that the table asks for no
// fixer. It is nil where the arm has no such table.
func (a Arm) Table(name string) map[string]any {
	if name == "agent" {
		filled := a.Agent.OrPaper()
		a.Agent = &filled
	}
	tree, err := a.tree()
	if err != nil {
		return nil // TestTable: every table of an arm can be written
	}
	t, _ := tree[name].(map[string]any)
	if name == "fixer" && a.Fixer.Tries == 0 {
		delete(t, "tries")
	}
	return t
}

// ParamsOf returns what the arm sets in a part: "" for its method or generators, otherwise "link", "fix", "choose" or
// "schema".
func (a Arm) ParamsOf(part string) map[string]any { return openOf(a.Params, part) }

// BlocksOf returns the blocks that the arm replaces in a part, as for ParamsOf: the absolute path of the file with the text,
// "" for a block that is switched off. Blocks that are kept are left out.
func (a Arm) BlocksOf(part string) map[string]string {
	out := map[string]string{}
	for name, v := range openOf(a.Blocks, part) {
		if s, ok := v.(string); ok && s != BlockKept {
			out[name] = s
		}
	}
	return out
}

// openOf returns the entries of an open table that belong to a part.
func openOf(open map[string]any, part string) map[string]any {
	out := map[string]any{}
	if part != "" {
		open, _ = open[part].(map[string]any)
	}
	for name, v := range open {
		if part != "" || !slices.Contains(partNames, name) {
			out[name] = v
		}
	}
	return out
}

// used lists the names and paths of the methods that read the arm's params and blocks of a part, as ParamsOf has it.
func (a Arm) used(part string) []string {
	link, fix, choose := a.Parts()
	switch part {
	case "schema":
		return []string{a.Schema.Format}
	case "link":
		return link
	case "fix":
		return slices.DeleteFunc([]string{fix}, func(id string) bool { return id == "" })
	case "choose":
		return []string{choose}
	}
	return a.Asks()
}

// find returns the method, or for the other parts the part, of that id. Only a folder that cannot be read has no ID.
func (known Known) find(part, id string) Method {
	m := Method{}
	if part == "" {
		m = known.Method(id)
	} else {
		m = known.Part(id)
	}
	if m.ID == "" && !isPath(id) {
		m.ID = id
	}
	return m
}

// Open lists the params and blocks of the arm's methods and parts with the values that they have in the arm, sorted by key:
// what the arm states, elsewhere a param's default and "kept". Values are as an axis shows them. Of a folder that cannot be
// read it lists only what the arm states.
func (known Known) Open(a Arm) []Setting {
	values := map[string]string{}
	for _, part := range append([]string{""}, partNames...) {
		under := func(head, name string) string {
			return strings.Join(slices.DeleteFunc([]string{head, part, name}, func(s string) bool { return s == "" }), ".")
		}
		for _, m := range known.playing(a, part) {
			for _, p := range m.Params {
				values[under("params", p.Name)] = plain(p.Default)
			}
			for _, b := range m.Blocks {
				values[under("blocks", b)] = BlockKept
			}
		}
		for head, table := range map[string]map[string]any{"params": a.Params, "blocks": a.Blocks} {
			for name, v := range openOf(table, part) {
				path := under(head, name)
				values[path] = armScope.find(path).shown(v)
			}
		}
	}
	var out []Setting
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out = append(out, Setting{key, values[key]})
	}
	return out
}
