package fidelity

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"assay/configs"

	"github.com/BurntSushi/toml"
)

//go:embed papers/*.toml
var files embed.FS

// paper is one file of facts.
type paper struct {
	ID          string   `toml:"paper"`       // as its tables' names begin: chase/table5
	Name        string   `toml:"name"`        // what tables call it
	Cite        string   `toml:"cite"`        // how it is cited
	Named       string   `toml:"named"`       // as its experiments' names begin; empty: as ID
	Experiments []string `toml:"experiments"` // those that repeat it without having a table of it
	Facts       []fact   `toml:"fact"`
}

// fact is one thing that a paper says, or that a reader would look for and not find. It has a Key, whose values are compared,
// or a Class of its own.
type fact struct {
	What  string `toml:"what"`
	Says  string `toml:"says"`  // empty: the paper does not say
	Where string `toml:"where"` // section, table or figure; or which other source it is

	Key     string   `toml:"key"`      // what is compared: a key of an arm, or one of derived
	Want    []string `toml:"want"`     // values that are as published, as patterns of anyMatch
	StandIn []string `toml:"stand_in"` // values that stand in
	Why     string   `toml:"why"`      // why a value is not as published

	Class string `toml:"class"` // of a fact without a key
	Here  string `toml:"here"`  // what is done here, likewise

	// The cells that the fact is about; empty: all. Patterns are as in Want.
	Experiments []string `toml:"experiments"` // by name
	Arms        []string `toml:"arms"`        // by name
	Methods     []string `toml:"methods"`     // that generate an arm's candidates
	Only        []string `toml:"only"`        // the published rows that arms repeat
	Except      []string `toml:"except"`      // and those that the fact is not about
	If          string   `toml:"if"`          // a condition on another key: "fixer.tries != 0", "selection.rule = pairwise"
}

// papers returns the papers in the order of their files' names.
var papers = sync.OnceValue(func() (out []paper) {
	names, _ := fs.Glob(files, "papers/*.toml")
	for _, name := range names {
		b, _ := files.ReadFile(name)
		var p paper
		if _, err := toml.Decode(string(b), &p); err != nil {
			panic(fmt.Sprintf("fidelity: %s: %v", name, err)) // TestPapers reads every file
		}
		out = append(out, p)
	}
	return out
})

// repeatedBy reports whether an experiment repeats the paper.
func (p paper) repeatedBy(e configs.Experiment) bool {
	named := func(report string) bool { return strings.HasPrefix(report, p.ID+"/") }
	return slices.Contains(p.Experiments, e.Name) || slices.ContainsFunc(e.Report.Tables, named) || slices.ContainsFunc(e.Report.Figures, named)
}

// names lists the embedded experiments as which an experiment counts: itself, or, where a user wrote it, those of the paper's
// tables and figures that its report has.
func (p paper) names(e configs.Experiment) []string {
	out := []string{e.Name}
	if slices.ContainsFunc(configs.Names(), func(in configs.Info) bool { return in.Name == e.Name }) {
		return out
	}
	for _, report := range slices.Concat(e.Report.Tables, e.Report.Figures) {
		if id, name, _ := strings.Cut(report, "/"); id == p.ID {
			out = append(out, cmp.Or(p.Named, p.ID)+"-"+name)
		}
	}
	return out
}

// rows returns a row for each class that the fact has among the experiment's cells; none where it is about none of them.
func (f fact) rows(s *settings) (out []Row) {
	cells := f.cells(s)
	if len(cells) == 0 {
		return nil
	}
	row := Row{What: f.What, Says: f.Says, Where: f.Where}
	if f.Key == "" {
		row.Here, row.Class, row.Why = f.Here, f.Class, f.Why
		return []Row{row}
	}
	of := map[string][]int{}
	for _, i := range cells {
		class := f.class(s.value(i, f.Key))
		of[class] = append(of[class], i)
	}
	for _, class := range Classes {
		if len(of[class]) == 0 {
			continue
		}
		row.Here, row.Class, row.Why = s.words(of[class], f.Key, len(of) > 1), class, f.Why
		if class == Published {
			row.Why = ""
		}
		out = append(out, row)
	}
	return out
}

// class judges a value.
func (f fact) class(value string) string {
	switch {
	case f.Says == "":
		return NotStated
	case anyMatch(f.Want, value):
		return Published
	case anyMatch(f.StandIn, value):
		return StandIn
	}
	return Differs
}

// cells lists the cells that the fact is about.
func (f fact) cells(s *settings) (out []int) {
	if len(f.Experiments) > 0 && !slices.ContainsFunc(s.names, func(name string) bool { return anyMatch(f.Experiments, name) }) {
		return nil
	}
	for i, c := range s.cells {
		switch {
		case len(f.Arms) > 0 && !anyMatch(f.Arms, c.Arm.Name),
			len(f.Methods) > 0 && !f.asked(c.Arm),
			len(f.Only) > 0 && !anyMatch(f.Only, c.Arm.Published),
			anyMatch(f.Except, c.Arm.Published),
			!s.holds(i, f.If):
			continue
		}
		out = append(out, i)
	}
	return out
}

// asked reports whether a method of the fact's generates the arm's candidates. An agent in a user's folder counts as assay's own,
// but for what the fact says of its texts.
func (f fact) asked(a configs.Arm) bool {
	if slices.ContainsFunc(a.Asks(), func(id string) bool { return anyMatch(f.Methods, id) }) {
		return true
	}
	return f.Key != "" && slices.Contains(f.Methods, agent) && a.Any(func(m configs.Method) bool { return m.Agent && m.Dir != "" })
}

// agent is assay's own method that works with tools.
const agent = "interactive"

// holds reports whether a cell meets a condition, "KEY = VALUE" or "KEY != VALUE"; an empty one always holds.
func (s *settings) holds(cell int, condition string) bool {
	if condition == "" {
		return true
	}
	if key, value, found := strings.Cut(condition, " != "); found {
		return s.value(cell, key) != value
	}
	key, value, _ := strings.Cut(condition, " = ")
	return s.value(cell, key) == value
}

// anyMatch reports whether a value is one of the patterns, whatever the case of its letters. A pattern's * at either end stands
// for any characters, and * alone for any value but the empty one; after a ! it is those that the rest does not match.
func anyMatch(patterns []string, value string) bool {
	value = strings.ToLower(value)
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.ToLower(p)
		if but, not := strings.CutPrefix(p, "!"); not {
			return value != "" && !anyMatch([]string{but}, value)
		}
		inner := strings.Trim(p, "*")
		head, tail := strings.HasSuffix(p, "*"), strings.HasPrefix(p, "*")
		switch {
		case inner == "" && p != "":
			return value != ""
		case head && tail:
			return strings.Contains(value, inner)
		case head:
			return strings.HasPrefix(value, inner)
		case tail:
			return strings.HasSuffix(value, inner)
		}
		return value == p
	})
}
