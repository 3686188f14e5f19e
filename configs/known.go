package configs

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Choice is one value that a key of the file may take.
type Choice struct {
	ID    string
	Shows string // its meaning, in a few words
}

// Choices is a closed list of values, in the order that documentation prints.
type Choices []Choice

// Has reports whether id is one of them.
func (c Choices) Has(id string) bool {
	return slices.ContainsFunc(c, func(one Choice) bool { return one.ID == id })
}

// IDs lists the values in order.
func (c Choices) IDs() []string {
	ids := make([]string, len(c))
	for i, one := range c {
		ids[i] = one.ID
	}
	return ids
}

// Known lists what an experiment may name, with the traits that checks and reports depend on. This package defines only the
// lists that it interprets itself. The caller, who has the constructors, passes the rest to Load and Parse, and an
// experiment keeps it: configs imports no other package of the module, so that every other package may import configs.
type Known struct {
	Kinds      []Kind
	Providers  []Provider
	Methods    []Method
	Parts      []Method // built-in parts around generators: those that link, fix and choose
	Strategies []Strategy
	Presets    []Preset
	Sources    []Source
	Lists      map[string]Choices // lists of values without traits, by the names that the key table uses
	Headings   map[string]string  // metrics by id: what tables and figures call them; see Heading
	Own        Choices            // metrics that the experiment itself defines; set by Load and Parse
	Swept      []string           // of Reports, those that need a [sweep]
	Reports    Choices            // tables and figures of reports, besides those that an experiment defines; nil: not known, and not checked

	// Folder compiles the method in a user's folder, given by its absolute path; nil: there are none. Its error names file
	// and line.
	Folder func(dir string) (Method, error)
	// Files returns the sources of a built-in method or part, by name, or of a user's folder, by absolute path; nil: none can
	// be read.
	Files func(id string) (fs.FS, error)
}

// Kind is a form of dataset.
type Kind struct {
	Choice
	Embedded bool     // it needs no files: path, split and other keys that locate them are ignored
	Sets     bool     // one folder holds several sets: dataset.name or dataset.sets says which
	File     bool     // dataset.questions may name its file of questions
	Split    string   // the split where none is stated; empty: dev
	Splits   string   // its splits, as documentation lists them; empty where there is no choice
	Judges   []string // metric ids of the kind's own evaluator, the headline first
}

// Provider is a source of completions.
type Provider struct {
	Choice
	Local bool // it answers in this process: no key, no network, no price, and no choice of models
	Plain bool // it can be asked for plain completions, see [APIs]

	Alone   bool // it gives one completion per call, so that each pays for its prompt
	Address bool // it has no address of its own: model.base_url is needed

	Efforts []string // what it takes as model.reasoning, of [Efforts]; nil: none
	Budget  bool     // it takes a budget of tokens as model.reasoning
	Least   int      // the smallest such budget
	Answer  int      // tokens that an answer may have where the experiment does not say; 0: the provider decides
	// Owned are the fields of its requests that have a key of their own, and so may not be in model.extra, with that key;
	// empty of a field that assay sets by itself. An entry of a table is named by its path, "thinkingConfig.thinkingBudget".
	Owned map[string]string
	// Embeds: it computes vectors, see [Embeddings]
	Embeds bool
}

// Method is a prompting method, or a part around methods. Those in users' folders are rows that Known.Folder makes.
type Method struct {
	Choice
	Pool     bool     // it gathers the candidates of the arm's generators
	Program  bool     // the arm's command answers, see Program
	Imported bool     // its answers were made elsewhere: their cost is not known, and it cannot generate
	Agent    bool     // it works with tools as [agent] says
	Examples bool     // its examples come from the source in [synthetic]
	Features []string // what its demonstrations must have, of the features of demonstrations
	Compares []string // what its program chooses by the similarity of texts, of the uses of Similarities

	Parts    []string       // what its folder defines: "answer", "link", "fix", "choose", "schema"
	Params   []Param        // what an experiment may set and sweep, in the file's order
	Table    string         // of an arm, whose values hold in place of the params' defaults; empty: none
	Blocks   []string       // names of the blocks of its templates
	Settings map[string]any // keys of [model] ("temperature", "stop") that hold where no file states them
	Digest   string         // "sha256:..." of its sources
	Dir      string         // absolute path of the user's folder or single file; empty: built in
}

// Param is what an experiment may set in a method. Its type is the default's: bool, int64, float64, string, or []any of one of
// these; a float64 takes integers.
type Param struct {
	Name    string
	Default any
}

// Defines reports whether the method's folder defines a part: "answer", "link", "fix", "choose" or "schema".
func (m Method) Defines(part string) bool { return slices.Contains(m.Parts, part) }

// Strategy is a way to choose demonstrations.
type Strategy struct {
	Choice
	None    bool // it chooses none, whatever k says
	Levels  bool // it needs exemplars.levels
	Nearest bool // it takes those most similar to the question
}

// Preset is a named choice of a strategy and its levels. What it shows is printed with every result that used it.
type Preset struct {
	Choice
	Strategy string
	Levels   []string // nil: those of the strategy
}

// Source is where the examples of a method with Examples come from.
type Source struct {
	Choice
	Demos bool // from the demonstrations of exemplars.file
}

// Kind is the dataset kind of that id; the zero Kind where there is none.
func (k Known) Kind(id string) Kind { return rowOf(k.Kinds, id) }

// Provider is the provider of that id; the zero Provider where there is none.
func (k Known) Provider(id string) Provider { return rowOf(k.Providers, id) }

// Method is the method of that id, or the one in the user's folder where id is its absolute path; the zero Method where there
// is none, or where its folder cannot be read.
func (k Known) Method(id string) Method { return k.rowOrFolder(k.Methods, id) }

// Part is the built-in part of that id, or the one in the user's folder; the zero Method where there is none. A method may be a
// part, too: c3 links.
func (k Known) Part(id string) Method { return k.rowOrFolder(slices.Concat(k.Parts, k.Methods), id) }

// rowOrFolder returns the row of a name, or the method in the folder of a path.
func (k Known) rowOrFolder(rows []Method, id string) Method {
	if !isPath(id) || k.Folder == nil {
		return rowOf(rows, id)
	}
	m, err := k.Folder(id)
	if err != nil {
		return Method{}
	}
	return m
}

// isPath reports whether a text names a folder or file, and no row of a table.
func isPath(id string) bool {
	return strings.ContainsAny(id, `/\`) || strings.HasPrefix(id, ".") || filepath.IsAbs(id)
}

// Strategy is the strategy of that id; the zero Strategy where there is none.
func (k Known) Strategy(id string) Strategy { return rowOf(k.Strategies, id) }

// Chooses is the strategy by which demonstrations are chosen: the preset's, where one is stated.
func (k Known) Chooses(x Exemplars) Strategy {
	if x.Preset != "" {
		return k.Strategy(rowOf(k.Presets, x.Preset).Strategy)
	}
	return k.Strategy(x.Strategy)
}

// row is a row of a literal table: any type that embeds a Choice.
type row interface{ choice() Choice }

func (c Choice) choice() Choice { return c }

// Find returns the row of an id; ok is false where there is none.
func Find[R row](rows []R, id string) (r R, ok bool) {
	for _, r := range rows {
		if r.choice().ID == id {
			return r, true
		}
	}
	return r, false
}

// ChoicesOf returns rows without their traits.
func ChoicesOf[R row](rows []R) Choices { return choicesWhere(rows, func(R) bool { return true }) }

// choicesWhere returns the rows that keep accepts, without their traits.
func choicesWhere[R row](rows []R, keep func(R) bool) (out Choices) {
	for _, r := range rows {
		if keep(r) {
			out = append(out, r.choice())
		}
	}
	return out
}

// rowOf returns the row of an id; the zero row where there is none.
func rowOf[R row](rows []R, id string) R {
	r, _ := Find(rows, id)
	return r
}

// Choices returns a list by the name that the key table uses; nil where there is no such list.
func (k Known) Choices(list string) Choices {
	switch list {
	case "kinds":
		return ChoicesOf(k.Kinds)
	case "providers":
		return ChoicesOf(k.Providers)
	case "embedders":
		return k.embedders()
	case "methods":
		return ChoicesOf(k.Methods)
	case "generators":
		return choicesWhere(k.Methods, func(m Method) bool { return !m.Pool && !m.Imported && !m.Program })
	case "linkers", "fixers", "choosers":
		return choicesWhere(slices.Concat(k.Parts, k.Methods), func(m Method) bool { return m.Defines(partOfList[list]) })
	case "strategies":
		return ChoicesOf(k.Strategies)
	case "presets":
		return ChoicesOf(k.Presets)
	case "sources":
		return ChoicesOf(k.Sources)
	case "cells":
		return slices.Concat(cells, k.Choices("metrics"))
	case "metrics":
		return slices.Concat(k.Lists["metrics"], k.Own)
	}
	if mine := lists[list]; mine != nil {
		return mine
	}
	return k.Lists[list]
}

// Heading returns what tables and figures call a metric: its id, where it has no other name.
func (k Known) Heading(metric string) string { return cmp.Or(k.Headings[metric], metric) }

// partOfList is the part that the rows of a list of parts define.
var partOfList = map[string]string{"linkers": "link", "fixers": "fix", "choosers": "choose"}

// Attach gives an arm the traits of what it names, as Load and Cells do.
func (k Known) Attach(a *Arm) {
	if a.Row = k.Method(a.Method); a.Row.Program {
		a.Row.Params = a.ownParams()
	}
	a.Asked = nil
	for _, id := range a.Asks() {
		a.Asked = append(a.Asked, k.Method(id))
	}
	a.Model.Local, a.Selection.Local = k.Provider(a.Model.Provider).Local, k.Provider(a.Selection.Provider).Local
}

// DrawsExamples reports whether a method of the arm takes its examples from the demonstrations of exemplars.file.
func (k Known) DrawsExamples(a Arm) bool {
	return rowOf(k.Sources, a.Synthetic.Source).Demos && a.Any(func(m Method) bool { return m.Examples })
}

// fillDoc replaces the words in braces of a key's documentation by names out of the rows, so that the documentation names
// no method or kind that a row could rename.
func (k Known) fillDoc(doc string) string {
	names := func(of Choices) string { return strings.Join(of.IDs(), ", ") }
	kinds := func(keep func(Kind) bool) []string { return choicesWhere(k.Kinds, keep).IDs() }
	quoted := func(ids []string) string { return "`" + strings.Join(ids, "`, `") + "`" }
	var usual, splits []string
	for _, d := range k.Kinds {
		if d.Splits != "" {
			splits = append(splits, d.ID+": "+d.Splits+".")
		}
		if d.Split != "" {
			usual = append([]string{fmt.Sprintf("`%s` for %s", d.Split, d.ID)}, usual...)
		}
	}
	return strings.NewReplacer(
		"{embedded}", quoted(kinds(func(d Kind) bool { return d.Embedded })),
		"{files}", and(kinds(func(d Kind) bool { return d.File })),
		"{sets}", names(choicesWhere(k.Kinds, func(d Kind) bool { return d.Sets })),
		"{usual}", strings.Join(append([]string{"`" + usualSplit + "` where not stated"}, usual...), ", "),
		"{splits}", strings.Join(splits, " "),
		"{local}", quoted(choicesWhere(k.Providers, func(p Provider) bool { return p.Local }).IDs()),
		"{plain}", and(choicesWhere(k.Providers, func(p Provider) bool { return p.Plain }).IDs()),
		"{nearest}", quoted(choicesWhere(k.Strategies, func(s Strategy) bool { return s.Nearest }).IDs()),
		"{agent}", quoted(choicesWhere(k.Methods, func(m Method) bool { return m.Agent }).IDs()),
		"{pool}", quoted(choicesWhere(k.Methods, func(m Method) bool { return m.Pool }).IDs()),
		"{examples}", quoted(choicesWhere(k.Methods, func(m Method) bool { return m.Examples }).IDs()),
	).Replace(doc)
}

// usualSplit is the split of most datasets where none is stated.
const usualSplit = "dev"

// and lists names as prose does.
func and(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// lists are the closed lists that this package interprets itself.
var lists = map[string]Choices{
	"agent presets": ChoicesOf(agentPresets), "levels": Levels, "difficulties": Difficulties, "strata": StrataAxes, "features": Features, "apis": APIs, "efforts": Efforts,
}

var (
	// Levels are Spider's hardness labels.
	Levels = Choices{{"easy", ""}, {"medium", ""}, {"hard", ""}, {"extra", ""}}
	// Difficulties are BIRD's labels.
	Difficulties = Choices{{"simple", ""}, {"moderate", ""}, {"challenging", ""}}
)

// TrainFile is the value of exemplars.file that means the dataset's whole training split.
const TrainFile = "train"

// Imported is the provider and the method of predictions that `assay import` stored, and the stage of their calls.
const Imported = "imported"
