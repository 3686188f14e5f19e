package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
)

// text2sqlKind is text2sql-data (Finegan-Dollak et al. 2018), which keeps every set in one folder.
var text2sqlKind = kind{
	Kind: configs.Kind{Choice: configs.Choice{ID: "text2sql", Shows: "text2sql-data: GeoQuery, IMDB, Yelp and their like"}, Sets: true, Split: "all",
		Splits: "all, train, dev, test, or a fold's number; in a set cut into numbered folds, `test` and `train` are every fold, since cross-validation tests on each in turn",
		Judges: spiderJudges},
	questions: text2sqlQuestions, open: openText2SQL, train: text2sqlTrain, shipped: exemplar.OfSample, together: true, bare: true,
}

// byQuery is the split of a set in which test has none of the queries of train.
const byQuery = "query"

// Cuts lists the two ways in which text2sql-data splits a set.
var Cuts = configs.Choices{
	{ID: "question", Shows: "by question: a query may be in train and test"},
	{ID: byQuery, Shows: "by query: test has none of the queries of train"},
}

// entry is one query of a text2sql-data set with the sentences that ask for it, both with variables in them.
type entry struct {
	SQL       []string   `json:"sql"` // equivalent ways to write it; the first counts
	Sentences []sentence `json:"sentences"`
	Variables []variable `json:"variables"`
	Split     string     `json:"query-split"`
}

type sentence struct {
	Text      string            `json:"text"`
	Split     string            `json:"question-split"`
	Variables map[string]string `json:"variables"`
}

type variable struct {
	Name    string `json:"name"`
	Example string `json:"example"` // the value where a sentence gives none
}

// sets are the names of the sets that the experiment asks for.
func (l *loader) sets() []string {
	if len(l.cfg.Sets) > 0 {
		return l.cfg.Sets
	}
	return []string{l.cfg.Name}
}

func text2sqlQuestions(l *loader) ([]item, error) {
	if l.cfg.Split == "train" {
		return text2sqlTrain(l)
	}
	return l.readSets(l.sets(), l.cfg.Split)
}

// text2sqlTrain reads the training splits. In a set cut into folds, which cross-validation tests on each in turn, all of them
// train: a question sees no demonstration of its own fold.
func text2sqlTrain(l *loader) (out []item, err error) {
	for _, set := range l.sets() {
		items, err := l.readSets([]string{set}, "train")
		if errors.Is(err, errFolds) {
			items, err = l.readSets([]string{set}, "all")
		}
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if !slices.Contains(it.apart, foldOf(set, outside)) {
				out = append(out, it)
			}
		}
	}
	return out, nil
}

// errFolds refuses a split by its name in a set cut into folds.
var errFolds = errors.New("it is cut into folds")

// foldOf labels the items of a fold.
func foldOf(set, fold string) string { return set + " fold " + fold }

func (l *loader) readSets(sets []string, split string) ([]item, error) {
	var out []item
	for _, set := range sets {
		path := filepath.Join(l.cfg.Path, set+".json")
		b, err := readJSON(path, input.Questions)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: dataset.path must be the folder of the sets' JSON files", err)
		}
		if err != nil {
			return nil, err
		}
		items, bad, err := parseText2SQL(b, set, split, l.cfg.SplitBy)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", path, err)
		}
		for _, w := range bad {
			l.warn(path, w.Item, "%s", w.Text)
		}
		out = append(out, items...)
	}
	return out, nil
}

// parseText2SQL reads a set: its sentences of one split, variables filled in, equal pairs of question and SQL once.
// The split is "all", or a value of the split by question or by query. In a set split into numbered folds "test" is all of
// them: cross-validation tests on each. bad has the entries and sentences left out.
func parseText2SQL(b []byte, set, split, by string) (items []item, bad []Warning, err error) {
	seen := map[[2]string]bool{}
	splits := map[string]bool{}
	var all []parted
	n, sentences, size := 0, 0, 0
	err = records(b, "queries", func(raw json.RawMessage) bool {
		n++
		place := "entry " + strconv.Itoa(n)
		var e entry
		err := input.Shape(raw, mostDepth, mostValues)
		if err == nil {
			err = json.Unmarshal(raw, &e)
		}
		if err != nil {
			bad = append(bad, Warning{Item: place, Text: "left out: " + err.Error()})
		}
		for j, s := range e.Sentences {
			p := parted{item: item{db: set, question: strings.TrimSpace(fill(s.Text, s, e.Variables)), gold: e.gold(s)}, split: s.Split}
			if by == byQuery {
				p.split = e.Split
			}
			p.apart = []string{set + " " + place} // its paraphrases, and the same query with other values
			if sentences, size = sentences+1, size+len(p.question)+len(p.gold); sentences > mostRecords || size > mostFilled {
				return false
			}
			switch pair := [2]string{p.question, p.gold}; {
			case p.question == "":
				bad = append(bad, Warning{Item: fmt.Sprintf("%s, sentence %d", place, j+1), Text: "left out: no text"})
			case !seen[pair]:
				seen[pair], splits[p.split] = true, true
				all = append(all, p)
			}
		}
		return n < mostRecords
	})
	switch {
	case err != nil:
		return nil, nil, err
	case n >= mostRecords || sentences > mostRecords || size > mostFilled:
		return nil, nil, fmt.Errorf("more than %d questions, or %d bytes of them once their variables are filled in: split the file", mostRecords, mostFilled)
	}
	items, err = ofSplit(all, splits, set, split)
	return items, bad, err
}

// mostFilled bounds the text of a set's questions and gold queries, in bytes: a query's variables are filled in for each of its
// sentences, so that a small file can make a large text.
const mostFilled = 128 << 20

// parted is an item with the part of its set that it belongs to.
type parted struct {
	item
	split string
}

func ofSplit(all []parted, splits map[string]bool, set, split string) (items []item, err error) {
	folds := folded(splits)
	whole := split == "all" || split == "test" && folds
	if !whole && !splits[split] {
		known := make([]string, 0, len(splits))
		for s := range splits {
			known = append(known, s)
		}
		slices.Sort(known)
		err := fmt.Errorf("set %q has no split %q: there are all, %s", set, split, strings.Join(known, ", "))
		if folds {
			err = fmt.Errorf("%w: %w", err, errFolds)
		}
		return nil, err
	}
	for _, p := range all {
		if folds {
			p.apart = append(p.apart, foldOf(set, p.split))
		}
		if whole || p.split == split {
			items = append(items, p.item)
		}
	}
	return items, nil
}

// outside is the part of a set that belongs to no fold.
const outside = "exclude"

// folded reports whether the parts are numbered folds.
func folded(splits map[string]bool) bool {
	for s := range splits {
		if _, err := strconv.Atoi(s); err != nil && s != outside {
			return false
		}
	}
	return len(splits) > 0
}

// gold is the entry's first SQL with the sentence's values; "" where it has none.
func (e entry) gold(s sentence) string {
	if len(e.SQL) == 0 {
		return ""
	}
	return strings.TrimSpace(fillQuoted(e.SQL[0], s, e.Variables))
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// value is what a variable stands for in a sentence.
func value(name string, s sentence, vars []variable) (string, bool) {
	if v, ok := s.Variables[name]; ok {
		return v, true
	}
	i := slices.IndexFunc(vars, func(v variable) bool { return v.Name == name })
	if i < 0 {
		return "", false
	}
	return vars[i].Example, true
}

// fill replaces variables, whole words, by their values.
func fill(text string, s sentence, vars []variable) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if v, ok := value(w, s, vars); ok {
			return v
		}
		return w
	})
}

// fillQuoted does so in SQL: a quote in a value within such quotes is doubled.
func fillQuoted(sql string, s sentence, vars []variable) string {
	var b strings.Builder
	last, open := 0, byte(0)
	for _, at := range word.FindAllStringIndex(sql, -1) {
		for i := last; i < at[0]; i++ {
			switch c := sql[i]; {
			case open == 0 && (c == '"' || c == '\''):
				open = c
			case c == open:
				open = 0
			}
		}
		b.WriteString(sql[last:at[0]])
		w := sql[at[0]:at[1]]
		if v, ok := value(w, s, vars); ok {
			if w = v; open != 0 {
				w = strings.ReplaceAll(v, string(open), string(open)+string(open))
			}
		}
		b.WriteString(w)
		last = at[1]
	}
	b.WriteString(sql[last:])
	return b.String()
}

func openText2SQL(l *loader) error {
	l.bases.folders = append(slices.Clone(l.cfg.Databases), filepath.Join(l.cfg.Path, "database"))
	l.bases.find = func(db string) (string, error) {
		files, err := input.Glob(l.cfg.Path, db+"-db*.sqlite")
		if err != nil || len(files) == 0 {
			return "", err
		}
		return files[0], nil
	}
	l.bases.tables = tableFile{}
	for _, set := range l.sets() {
		e, err := l.text2sqlSchema(set)
		if err != nil {
			return err
		}
		if e != nil {
			l.bases.tables[set] = e
		}
	}
	return nil
}

// text2sqlSchema reads <set>-schema.csv, or the names alone out of <set>-fields.txt; nil where there is neither.
func (l *loader) text2sqlSchema(set string) (*schema.Database, error) {
	for _, f := range []struct {
		end  string
		read func([]byte) (*schema.Database, error)
	}{{"-schema.csv", parseSchemaCSV}, {"-fields.txt", parseFields}} {
		path := filepath.Join(l.cfg.Path, set+f.end)
		b, err := input.Read(path, input.Schemas)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", path, input.Cause(err))
		}
		e, err := f.read(bytes.TrimPrefix(b, []byte("\ufeff")))
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", path, err)
		}
		l.describedBy(path, b)
		return e, nil
	}
	return nil, nil
}

// parseSchemaCSV reads rows of table, field, primary key (y or n), foreign key, type; rows of dashes part the tables.
func parseSchemaCSV(b []byte) (*schema.Database, error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = -1, true, true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	e := &schema.Database{}
	for _, row := range rows[min(1, len(rows)):] {
		name := strings.TrimSpace(at(row, 0))
		c := column(strings.TrimSpace(at(row, 1)), strings.TrimSpace(at(row, 4)), "")
		if name == "" || name == "-" || c.Name == "" {
			continue
		}
		addColumn(e, name, c, strings.EqualFold(strings.TrimSpace(at(row, 2)), "y"))
	}
	return orNone(e)
}

// parseFields reads lines of "table field".
func parseFields(b []byte) (*schema.Database, error) {
	e := &schema.Database{}
	for _, line := range strings.Split(string(b), "\n") {
		if f := strings.Fields(line); len(f) == 2 {
			addColumn(e, f[0], column(f[1], "", ""), false)
		}
	}
	return orNone(e)
}

func orNone(e *schema.Database) (*schema.Database, error) {
	if len(e.Tables) == 0 {
		return nil, errors.New("no table in it")
	}
	return e, nil
}

func addColumn(e *schema.Database, table string, c schema.Column, primary bool) {
	t := e.Table(table)
	if t == nil {
		t = e.Add(table).Table(table)
	}
	t.Columns = append(t.Columns, c)
	if primary {
		t.PrimaryKey = append(t.PrimaryKey, c.Name)
	}
}
