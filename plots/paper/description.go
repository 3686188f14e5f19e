package paper

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"assay/experiments/census/printed"
	"assay/experiments/published"
	"assay/plots/table"

	"github.com/BurntSushi/toml"
)

//go:embed tables/*.toml tables/*.csv
var tableFiles embed.FS

// citation is a paper, as tables/papers.toml describes it.
type citation struct {
	ID         string            `toml:"id"`
	Cite       string            `toml:"cite"`
	Generators map[string]string `toml:"generators"` // its words for methods that generate candidates
	Doubts     map[string]string `toml:"doubts"`     // contradictions within its own numbers, by the name that notes use for them
}

// description is one table or figure of a paper, as a file of the folder tables describes it. The published numbers are in the
// CSV file of the same name, unless it names others. Texts may hold placeholders in braces; see placeholders.
type description struct {
	Name    string `toml:"name"`
	Title   string `toml:"title"`   // as report --list has it
	Heading string `toml:"heading"` // over the table; empty: the title
	Bare    string `toml:"heading_without_suite"`
	Paper   string `toml:"paper"` // id of a citation
	Where   string `toml:"where"` // within the paper: "Table 4"

	Frame    string   `toml:"frame"`   // what makes the table, of frames
	Drawing  string   `toml:"drawing"` // or the figure, of drawings
	Needs    []string `toml:"needs"`   // of a run, of needs
	Files    []string `toml:"csv"`     // files of printed numbers, without their ending
	Dataset  string   `toml:"dataset"` // what the numbers are over, as runs name it: bird/dev, or a kind alone
	Metric   string   `toml:"metric"`  // the id of the metric that they are of; empty where no difference from them is shown
	Splits   []string `toml:"splits"`  // what {split} may be: the run's, or else the first
	Places   int      `toml:"places"`  // decimals, where a column states none
	Says     string   `toml:"says"`    // where the published numbers come from
	Notes    []string `toml:"notes"`
	Caveats  []string `toml:"caveats"` // further notes, wherever the published numbers are shown
	DoubtsOf []struct {
		Row   string `toml:"row"`
		Split string `toml:"split"`
		Text  string `toml:"text"`
	} `toml:"doubt"` // notes that are shown where an arm repeats the row

	Groups []group           `toml:"group"`
	Names  map[string]string `toml:"names"` // databases by the names that runs may have for them
	By     string            `toml:"by"`    // what an arm's rows, or all bars, are grouped by: database, level
	Base   string            `toml:"base"`  // the published row, or line, that gains are over

	Key     string `toml:"key"`    // ways, grid: heads the lines
	Lines   []line `toml:"row"`    // ways, grid: one row each; bounds: one panel each
	Columns []line `toml:"column"` // grid: one group of columns each

	Heads        []headed `toml:"head"`         // list: what names a row
	Units        string   `toml:"units"`        // list: rows, arms over several datasets, or families of datasets; empty: rows
	Method       string   `toml:"method"`       // list: of the arms that it has; empty: any
	Only         string   `toml:"only"`         // list: votes, where arms without comparisons are left out
	Evidence     bool     `toml:"evidence"`     // list: divided into systems with evidence and without
	Compare      string   `toml:"compare"`      // list: columns, below, or nothing
	Incomparable string   `toml:"incomparable"` // list: why no arm's numbers can be compared with the published ones
	Axis         string   `toml:"axis"`         // list: what the levels of columns are of
	Gain         string   `toml:"gain"`         // list: the published row that is followed by its difference from the base

	Items    int                 `toml:"items"`    // regions: of which the printed counts are shares
	Regions  map[string][]string `toml:"regions"`  // regions: the file's rows that add up to each
	Counted  string              `toml:"counted"`  // solved: all items that a generator solves; empty: those that it alone solves
	Taxonomy string              `toml:"taxonomy"` // of errors
	Part     string              `toml:"part"`     // error part, error shares: generation or selection; statistics: values, schemas or tables
	Printed  string              `toml:"way"`      // statistics: how the published figures are counted
	Sample   int                 `toml:"sample"`   // wrong answers drawn, unless the user states another number

	Own    paperForm `toml:"published"`
	Stands string    `toml:"stands"` // the table with them, where this figure has not

	paper   citation
	printed published.Table
}

// group is columns side by side under one head; with each, one such group per hardness level or database.
type group struct {
	Name    string  `toml:"name"`
	Each    string  `toml:"each"`
	Columns []field `toml:"columns"`
}

// field is a column: what it measures, and which column of the file has the published number.
type field struct {
	Name      string   `toml:"name"` // empty: what the measure is called
	Short     string   `toml:"short"`
	Measure   string   `toml:"measure"`
	Metric    string   `toml:"metric"`         // empty: the headline
	Of        []string `toml:"of"`             // what the measure is of, where it is of several things
	Level     string   `toml:"level"`          // of the description's axis alone
	Dataset   string   `toml:"dataset"`        // over this one alone
	Split     string   `toml:"split"`          // where the run is of this one alone
	Column    string   `toml:"column"`         // of the file
	Databases []string `toml:"databases"`      // the column is shown where the run has these alone
	Places    *int     `toml:"places"`         // decimals; not stated: the description's
	Printed   *int     `toml:"printed_places"` // those of the published number; not stated: the same
	Best      bool     `toml:"best"`
	Parens    bool     `toml:"parens"`
	Beside    bool     `toml:"beside"` // followed by the published number, the difference, and whether it lies in the interval

	Extra bool `toml:"extra"` // left out where there is little room

	unit  string // of assay's own tables
	group string // the head above it
	row   string // of the file, where it is not the one that the arm repeats
}

// line is one row of a table whose columns are arms, or a row or column of a grid.
type line struct {
	ID      string `toml:"id"` // the file's name of it
	Name    string `toml:"name"`
	Measure string `toml:"measure"`
}

// headed is a column that says what a row is.
type headed struct {
	Name   string `toml:"name"`
	Of     string `toml:"of"`     // what names this run's rows, of texts
	Column string `toml:"column"` // what names the published ones
	Key    bool   `toml:"key"`
}

// described returns every table and figure of a paper, in the order of papers.toml, tables before figures.
var described = sync.OnceValue(func() []*description {
	all, err := readDescriptions()
	if err != nil {
		panic(err) // an embedded file is wrong, which a test finds
	}
	return all
})

func readDescriptions() (out []*description, err error) {
	var papers struct {
		All []citation `toml:"paper"`
	}
	if err := decode("tables/papers.toml", &papers); err != nil {
		return nil, err
	}
	files, err := tableFiles.ReadDir("tables")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		file := path.Join("tables", f.Name())
		if path.Ext(file) != ".toml" || f.Name() == "papers.toml" {
			continue
		}
		d := &description{}
		if err := decode(file, d); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(papers.All, func(c citation) bool { return c.ID == d.Paper })
		if at < 0 {
			return nil, fmt.Errorf("paper: read %q: there is no paper %q", file, d.Paper)
		}
		d.paper = papers.All[at]
		if err := d.checkPlaceholders(); err != nil {
			return nil, fmt.Errorf("paper: read %q: %w", file, err)
		}
		if err := d.readNumbers(strings.TrimSuffix(f.Name(), ".toml")); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	rank := func(d *description) (n int) {
		_, own, _ := strings.Cut(d.Name, "/")
		if n = 4 * slices.IndexFunc(papers.All, func(c citation) bool { return c.ID == d.Paper }); d.Drawing != "" {
			n += 2
		}
		if !strings.HasPrefix(own, "table") {
			n++
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b *description) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.Name), len(b.Name)))
	})
	return out, nil
}

// decode reads a file strictly: a key that nothing reads is an error.
func decode(file string, to any) error {
	b, err := tableFiles.ReadFile(file)
	if err != nil {
		return err
	}
	md, err := toml.Decode(string(b), to)
	if err != nil {
		return fmt.Errorf("paper: read %q: %w", file, err)
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("paper: read %q: unknown key %s", file, unknown[0])
	}
	return nil
}

// readNumbers reads the CSV files that the description names, in that order, or else the one of its own name if it exists.
func (d *description) readNumbers(own string) error {
	files := d.Files
	if _, err := tableFiles.Open("tables/" + own + ".csv"); files == nil && err == nil {
		files = []string{own}
	}
	for _, name := range files {
		b, err := tableFiles.ReadFile("tables/" + name + ".csv")
		if errors.Is(err, fs.ErrNotExist) {
			b, err = printed.Files.ReadFile(name + ".csv")
		}
		if err != nil {
			return err
		}
		t, err := published.Read(b)
		if err != nil {
			return fmt.Errorf("paper: read %q: %w", name, err)
		}
		d.printed.Columns, d.printed.Rows = append(d.printed.Columns, t.Columns...), append(d.printed.Rows, t.Rows...)
	}
	return nil
}

// maker returns the maker of the described table or figure.
func (d *description) maker() maker {
	return maker{name: d.Name, title: d.Title, source: d.paper.Cite + ", " + d.Where, figure: d.Drawing != "", common: never,
		why: func(v *view) string {
			for _, n := range d.Needs {
				if why := needs[n](v, d); why != "" {
					return why
				}
			}
			return ""
		},
		make: func(v *view) (Output, error) { return v.sheet(d).make() }}
}

func describedMakers() (out []maker) {
	for _, d := range described() {
		if out = append(out, d.maker()); d.Own.Keys != nil {
			out = append(out, d.publishedMaker())
		}
	}
	return out
}

// make fills the description from the run.
func (s *sheet) make() (out Output, err error) {
	if s.Drawing != "" {
		out.Figure, err = drawings[s.Drawing](s)
		return out, err
	}
	if err := s.count(); err != nil {
		return out, err
	}
	t := &table.Table{ID: s.Name, Title: s.heading() + ": " + s.v.run.Manifest.Experiment}
	frames[s.Frame](s, t)
	t.Notes = s.v.notes(s.fill(s.Notes)...)
	if s.beside() {
		t.Notes = append(t.Notes, s.fill(s.Caveats)...)
	}
	for _, x := range s.DoubtsOf {
		if s.beside() && x.Split == s.split() && slices.ContainsFunc(s.v.rows, func(r row) bool { return r.Config.Published == x.Row }) {
			t.Notes = append(t.Notes, x.Text)
		}
	}
	out.Table = t
	return out, nil
}

// heading returns the title of the table.
func (s *sheet) heading() string {
	h := cmp.Or(s.Heading, s.Title)
	if s.Bare != "" && s.v.display("ts") != "TS" {
		h = s.Bare
	}
	return s.filled(h)
}

// frames are the forms that tables of papers have.
var frames = map[string]func(*sheet, *table.Table){
	"arms":          (*sheet).arms,
	"ways":          (*sheet).ways,
	"grid":          (*sheet).grid,
	"list":          (*sheet).list,
	"regions":       (*sheet).regions,
	"solved":        (*sheet).solvedBy,
	"features":      (*sheet).features,
	"error parts":   (*sheet).errorParts,
	"error part":    (*sheet).oneErrorPart,
	statisticsFrame: (*sheet).statisticsTable,
	"error types":   (*sheet).errorTypes,
}
