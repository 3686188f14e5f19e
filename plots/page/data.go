package page

import (
	"cmp"
	"fmt"

	"assay/experiments/diagnosis"
	"assay/experiments/record"
)

// data is a run in the form that the page's script reads. The JSON names are short because a page has many of them.
type data struct {
	*record.Index
	fixed   []block // the index and the rows of each group: always on the page
	groups  []*group
	status  names     // of items and candidates
	dbs     names     // databases
	sets    []setting // all settings, in the order of the answers
	setting []int     // one per answer: its position in sets
	wrong   map[record.Key]diagnosis.Diagnosis
}

// setting is what an answer was made under: arm, sweep point and seed.
type setting struct {
	Arm   int      `json:"a"`
	Point []string `json:"p"` // one value per axis
	Seed  int64    `json:"s"`
}

// index is the block that the page's list of items needs.
type index struct {
	Axes     []string    `json:"axes"`
	Metrics  []string    `json:"metrics"`
	Arms     [][2]string `json:"arms"` // name and label
	DBs      []string    `json:"dbs"`
	Tables   [][]string  `json:"tables"` // one list per database
	Statuses []string    `json:"statuses"`
	By       []by        `json:"by"`     // what items can be filtered by
	Kinds    [][]int     `json:"kinds"`  // the different kinds of items: of each, one position in the groups of each By
	Errors   []taxonomy  `json:"errors"` // the taxonomies of wrong answers
	Settings []setting   `json:"settings"`
	Items    []indexItem `json:"items"`
	SQL      []string    `json:"sql"`
	Rows     indexRows   `json:"rows"`
	Groups   int         `json:"groups"`
}

// indexItem is one question. Numbers are positions in the index's lists.
type indexItem struct {
	ID       string `json:"i"`
	DB       int    `json:"d"`
	Question string `json:"q"`
	Evidence string `json:"e,omitempty"`
	Gold     string `json:"g"`
	Kind     int    `json:"l"`
	Group    int    `json:"b"`
	Place    int    `json:"k"` // in the group
}

// indexRows are the chosen answers, one position per answer.
type indexRows struct {
	Item    []int `json:"i"`
	Setting []int `json:"s"`
	Status  []int `json:"t"`
	SQL     []int `json:"q"`

	// Errors are the suggested categories: per taxonomy, one position in its categories per answer, -1 for none. Taxonomies of which
	// no category is suggested are not there.
	Errors [][]int `json:"e"`
}

// newData sorts a run's rows by item and packs the index and the rows.
func newData(r *record.Run) (*data, error) {
	d := &data{Index: r.Index()}
	d.wrong = suggestions(d.Index)
	ix := d.index()
	d.group(&ix)
	first, err := pack("index", ix)
	if err != nil {
		return nil, err
	}
	d.fixed = []block{first}
	for i, g := range d.groups {
		b, err := pack(fmt.Sprintf("rows%d", i), g.pack(d))
		if err != nil {
			return nil, err
		}
		d.fixed = append(d.fixed, b)
	}
	return d, nil
}

// index makes the index; group adds the items' groups.
func (d *data) index() index {
	ix := index{Axes: orEmpty(d.Run.Manifest.Axes), Metrics: d.Run.Manifest.MetricIDs(), Arms: [][2]string{}, Items: []indexItem{}}
	d.collectSettings(d.arms(&ix))
	at := map[*record.Question]int{}
	for i, q := range d.Questions {
		at[q] = i
		ix.Items = append(ix.Items, indexItem{ID: q.Item, DB: d.dbs.of(q.DB), Question: q.Question, Evidence: q.Evidence, Gold: q.Gold})
	}
	ix.By, ix.Kinds = d.kinds(ix.Items)
	var sql names
	r := indexRows{Item: []int{}, Setting: orEmpty(d.setting), Status: []int{}, SQL: []int{}}
	for _, a := range d.Answers {
		r.Item = append(r.Item, at[a.Question])
		r.Status = append(r.Status, d.status.of(string(a.Item.Status)))
		r.SQL = append(r.SQL, sql.of(a.Item.SQL))
	}
	ix.Errors, r.Errors = d.errors()
	for _, pool := range [][]record.Candidate{d.Run.Candidates, d.Run.Dropped} {
		for i := range pool {
			d.status.of(string(pool[i].Status))
		}
	}
	ix.Rows, ix.SQL, ix.Settings = r, sql.all(), orEmpty(d.sets)
	ix.Statuses, ix.DBs = d.status.all(), d.dbs.all()
	ix.Tables = d.tables()
	return ix
}

// collectSettings numbers the settings in the order of the answers.
func (d *data) collectSettings(arms *names) {
	type under struct {
		series *record.Series
		seed   int64
	}
	at := map[under]int{}
	for _, a := range d.Answers {
		u := under{a.Series, a.Item.Seed}
		i, known := at[u]
		if !known {
			i = len(d.sets)
			at[u], d.sets = i, append(d.sets, setting{Arm: arms.of(a.Series.Arm), Point: orEmpty(a.Series.Point), Seed: u.seed})
		}
		d.setting = append(d.setting, i)
	}
}

// arms lists the arms in the order of the experiment.
func (d *data) arms(ix *index) *names {
	var arms names
	add := func(name, label string) {
		if arms.of(name) == len(ix.Arms) {
			ix.Arms = append(ix.Arms, [2]string{name, cmp.Or(label, name)})
		}
	}
	for _, a := range d.Run.Resolved.Arms {
		add(a.Name, a.Label)
	}
	for _, s := range d.Series {
		add(s.Arm, "")
	}
	return &arms
}

// tables lists the tables of each database.
func (d *data) tables() [][]string {
	all := make([]names, len(d.dbs.list))
	for _, c := range d.Run.Columns {
		if i, ok := d.dbs.at[c.DB]; ok {
			all[i].of(c.Table)
		}
	}
	out := make([][]string, len(all))
	for i := range all {
		out[i] = all[i].all()
	}
	return out
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
