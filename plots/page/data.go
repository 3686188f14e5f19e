package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
)

// data is a run in the form that the page's script reads. Names of fields are short, for there are many.
type data struct {
	run      *record.Run
	fixed    []block // the index and the rows of each group: always on the page
	groups   []*group
	rows     []row              // one an item, arm, sweep point and seed, as run.Items
	at       map[rowKey]int     // position in rows
	items    map[string]int     // position in questions
	asked    []record.Question  // with those of items that the run has no question of
	levels   names              // hardness and difficulty
	status   names              // of items and candidates
	dbs      names              // databases
	points   map[settingKey]int // position in sets
	previews map[[2]string]int  // item and digest to the position in the run's results
	sets     []setting
}

// rowKey identifies a row of items.csv.
type rowKey struct {
	item string
	settingKey
}

// settingKey identifies an arm at a sweep point under a seed.
type settingKey struct {
	arm, point string
	seed       int64
}

// setting is what one answer of an item was made under.
type setting struct {
	Arm   int      `json:"a"`
	Point []string `json:"p"` // a value an axis
	Seed  int64    `json:"s"`
}

// row is one answer with everything that led to it, by position in the run's rows.
type row struct {
	candidates, dropped, votes, calls, links []int
}

// index is the block that the list of items needs.
type index struct {
	Axes     []string    `json:"axes"`
	Metrics  []string    `json:"metrics"`
	Arms     [][2]string `json:"arms"` // name and label
	DBs      []string    `json:"dbs"`
	Tables   [][]string  `json:"tables"` // a database each
	Statuses []string    `json:"statuses"`
	Levels   []string    `json:"levels"`
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
	Levels   []int  `json:"l"` // hardness, difficulty: those that it has
	Group    int    `json:"b"`
	Place    int    `json:"k"` // in the group
}

// indexRows are the chosen answers, a position each.
type indexRows struct {
	Item    []int `json:"i"`
	Setting []int `json:"s"`
	Status  []int `json:"t"`
	SQL     []int `json:"q"`
}

// newData sorts a run's rows by item and packs the index and the rows.
func newData(r *record.Run) (*data, error) {
	d := &data{run: r, asked: slices.Clone(r.Questions), at: map[rowKey]int{}, items: map[string]int{}, points: map[settingKey]int{},
		previews: map[[2]string]int{}}
	for i, q := range r.Questions {
		d.items[q.Item] = i
	}
	for _, it := range r.Items {
		if _, ok := d.items[it.Item]; !ok {
			d.items[it.Item] = len(d.asked)
			d.asked = append(d.asked, record.Question{Item: it.Item, DB: it.DB, Hardness: it.Hardness, Difficulty: it.Difficulty})
		}
	}
	d.collect()
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

// collect finds the rows of each answer.
func (d *data) collect() {
	for i, it := range d.run.Items {
		d.at[keyOf(it.Item, it.Arm, it.Point, it.Seed)] = i
	}
	d.rows = make([]row, len(d.run.Items))
	find := func(item, arm string, point []string, seed int64) *row {
		if i, ok := d.at[keyOf(item, arm, point, seed)]; ok {
			return &d.rows[i]
		}
		return &row{} // of an answer that was not recorded
	}
	for i, c := range d.run.Candidates {
		r := find(c.Item, c.Arm, c.Point, c.Seed)
		r.candidates = append(r.candidates, i)
	}
	for i, c := range d.run.Dropped {
		r := find(c.Item, c.Arm, c.Point, c.Seed)
		r.dropped = append(r.dropped, i)
	}
	for i, v := range d.run.Votes {
		r := find(v.Item, v.Arm, v.Point, v.Seed)
		r.votes = append(r.votes, i)
	}
	for i, c := range d.run.Calls {
		r := find(c.Item, c.Arm, c.Point, c.Seed)
		r.calls = append(r.calls, i)
	}
	for i, x := range d.run.Results {
		d.previews[[2]string{x.Item, x.Digest}] = i
	}
	for i, l := range d.run.Links {
		r := find(l.Item, l.Arm, l.Point, l.Seed)
		r.links = append(r.links, i)
	}
}

func keyOf(item, arm string, point []string, seed int64) rowKey {
	return rowKey{item, settingKey{arm, strings.Join(point, "\x00"), seed}}
}

// index makes the index, its items without their groups.
func (d *data) index() index {
	ix := index{Axes: orEmpty(d.run.Manifest.Axes), Metrics: d.run.Manifest.MetricIDs(), Arms: [][2]string{}, Items: []indexItem{}}
	arms := d.arms(&ix)
	for _, it := range d.run.Items {
		k := keyOf(it.Item, it.Arm, it.Point, it.Seed).settingKey
		if _, ok := d.points[k]; !ok {
			d.points[k] = len(d.sets)
			d.sets = append(d.sets, setting{Arm: arms.of(it.Arm), Point: orEmpty(it.Point), Seed: it.Seed})
		}
	}
	for _, q := range d.asked {
		item := indexItem{ID: q.Item, DB: d.dbs.of(q.DB), Question: q.Question, Evidence: q.Evidence, Gold: q.Gold, Levels: []int{}}
		for _, l := range []string{q.Hardness, q.Difficulty} {
			if l != "" {
				item.Levels = append(item.Levels, d.levels.of(l))
			}
		}
		ix.Items = append(ix.Items, item)
	}
	var sql names
	r := indexRows{[]int{}, []int{}, []int{}, []int{}}
	for _, it := range d.run.Items {
		r.Item = append(r.Item, d.items[it.Item])
		r.Setting = append(r.Setting, d.points[keyOf(it.Item, it.Arm, it.Point, it.Seed).settingKey])
		r.Status = append(r.Status, d.status.of(string(it.Status)))
		r.SQL = append(r.SQL, sql.of(it.SQL))
	}
	for _, c := range slices.Concat(d.run.Candidates, d.run.Dropped) {
		d.status.of(string(c.Status))
	}
	ix.Rows, ix.SQL, ix.Settings = r, sql.all(), orEmpty(d.sets)
	ix.Statuses, ix.Levels, ix.DBs = d.status.all(), d.levels.all(), d.dbs.all()
	ix.Tables = d.tables()
	return ix
}

// arms lists the arms in the order of the experiment.
func (d *data) arms(ix *index) *names {
	var arms names
	add := func(name, label string) {
		if arms.of(name) == len(ix.Arms) {
			ix.Arms = append(ix.Arms, [2]string{name, cmp.Or(label, name)})
		}
	}
	for _, a := range d.run.Resolved.Arms {
		add(a.Name, a.Label)
	}
	for _, it := range d.run.Items {
		add(it.Arm, "")
	}
	return &arms
}

// tables lists the tables of each database.
func (d *data) tables() [][]string {
	all := make([]names, len(d.dbs.list))
	for _, c := range d.run.Columns {
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
