package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs/input"
	"assay/prompting/sql/schema"
)

// tableFile holds the descriptions in Spider's or BIRD's tables.json, by database: names, types, keys and meanings.
type tableFile map[string]*schema.Database

// rawTables is an entry in Spider's form: columns are (table index, name) pairs, keys are column indices. BIRD writes
// a composite primary key as a list in the list.
type rawTables struct {
	DB            string            `json:"db_id"`
	Tables        []string          `json:"table_names_original"`
	Columns       []json.RawMessage `json:"column_names_original"`
	Meanings      []json.RawMessage `json:"column_names"`
	Types         []string          `json:"column_types"`
	Primary       []json.RawMessage `json:"primary_keys"`
	Foreign       [][]int           `json:"foreign_keys"`
	TableOriginal string            `json:"table_name_original"` // of the form with one entry per table
}

// readTables reads a tables.json: a list of databases, or an object with one entry per table. A malformed entry is
// a warning.
func (l *loader) readTables(path string) (tableFile, error) {
	b, err := readJSON(path, input.Schemas)
	if err != nil {
		return nil, err
	}
	f, bad, err := parseTables(b, l.needs)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	l.describedBy(path, b)
	for _, why := range bad {
		l.warn(path, "", "%s", why)
	}
	return f, nil
}

// parseTables reads the text of a tables.json; bad names the entries left out. Databases that are not needed are
// skipped; needs may be nil, for all.
func parseTables(b []byte, needs func(db string) bool) (f tableFile, bad []string, err error) {
	if err := input.Shape(b, mostDepth, mostValues); err != nil {
		return nil, nil, err
	}
	list, ok := elements(b)
	if !ok {
		if list, err = entries(b); err != nil {
			return nil, nil, err
		}
	}
	f = tableFile{}
	for i, raw := range list {
		if needs != nil && !ofNeeded(raw, needs) {
			continue
		}
		var r rawTables
		err := json.Unmarshal(raw, &r)
		if err == nil && r.DB == "" {
			err = fmt.Errorf("no db_id")
		}
		if err == nil && r.TableOriginal != "" {
			err = f.addTable(r)
		} else if err == nil {
			f[r.DB], err = r.entry()
		}
		if err != nil {
			delete(f, r.DB)
			bad = append(bad, fmt.Sprintf("entry %d (%s) left out: %v", i, r.DB, err))
		}
	}
	return f, bad, nil
}

// entries lists the values of an array, or of an object, which has one entry per table.
func entries(b []byte) (out [][]byte, err error) {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		var byTable map[string]json.RawMessage
		if json.Unmarshal(b, &byTable) != nil {
			return nil, fmt.Errorf("want a JSON array of databases: %w", err)
		}
		if list, err = inOrder(b, byTable); err != nil {
			return nil, err
		}
	}
	for _, raw := range list {
		out = append(out, raw)
	}
	return out, nil
}

// ofNeeded tells whether an entry may be of a needed database.
func ofNeeded(raw []byte, needs func(db string) bool) bool {
	db := ""
	ok := members(raw, func(name, value []byte) {
		if string(name) == "db_id" {
			db, _ = unquote(value)
		}
	})
	return !ok || needs(db)
}

// inOrder lists an object's values in the order of the text.
func inOrder(b []byte, m map[string]json.RawMessage) ([]json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(string(b)))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return nil, err
		}
		if key, ok := name.(string); ok {
			out = append(out, m[key])
		}
	}
	return out, nil
}

// addTable adds an entry of the form with one per table.
func (f tableFile) addTable(r rawTables) error {
	t := schema.Table{Name: r.TableOriginal}
	for i, raw := range r.Columns {
		var name, meaning string
		if err := json.Unmarshal(raw, &name); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
		if i < len(r.Meanings) {
			_ = json.Unmarshal(r.Meanings[i], &meaning)
		}
		t.Columns = append(t.Columns, column(name, at(r.Types, i), meaning))
	}
	if f[r.DB] == nil {
		f[r.DB] = &schema.Database{}
	}
	f[r.DB].Tables = append(f[r.DB].Tables, t)
	return nil
}

func at[T any](s []T, i int) (v T) {
	if i >= 0 && i < len(s) {
		v = s[i]
	}
	return v
}

// entry resolves the indices of Spider's form.
func (r rawTables) entry() (*schema.Database, error) {
	e := &schema.Database{Tables: make([]schema.Table, len(r.Tables))}
	for i, name := range r.Tables {
		e.Tables[i].Name = name
	}
	refs := make([]schema.ColumnName, len(r.Columns)) // by column index; empty for "*"
	for i, raw := range r.Columns {
		table, name, err := pair(raw)
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i, err)
		}
		if table < 0 {
			continue
		}
		if table >= len(e.Tables) {
			return nil, fmt.Errorf("column %d is of table %d of %d", i, table, len(e.Tables))
		}
		meaning := ""
		if i < len(r.Meanings) {
			_, meaning, _ = pair(r.Meanings[i])
		}
		t := &e.Tables[table]
		t.Columns = append(t.Columns, column(name, at(r.Types, i), meaning))
		refs[i] = schema.ColumnName{Table: t.Name, Column: name}
	}
	if err := addPrimary(e, r.Primary, refs); err != nil {
		return nil, err
	}
	for _, k := range r.Foreign {
		if len(k) != 2 || at(refs, k[0]).Column == "" || at(refs, k[1]).Column == "" {
			return nil, fmt.Errorf("foreign key %v names no two columns", k)
		}
		from, to := refs[k[0]], refs[k[1]]
		e.ForeignKeys = append(e.ForeignKeys, schema.ForeignKey{Table: from.Table, Column: from.Column, RefTable: to.Table, RefColumn: to.Column})
	}
	return e, nil
}

func addPrimary(e *schema.Database, keys []json.RawMessage, refs []schema.ColumnName) error {
	for _, raw := range keys {
		var many []int
		if json.Unmarshal(raw, &many) != nil {
			many = make([]int, 1)
			if err := json.Unmarshal(raw, &many[0]); err != nil {
				return fmt.Errorf("primary key %s: %w", raw, err)
			}
		}
		for _, i := range many {
			ref := at(refs, i)
			t := slices.IndexFunc(e.Tables, func(t schema.Table) bool { return t.Name == ref.Table })
			if ref.Column == "" || t < 0 {
				return fmt.Errorf("primary key %s names no column", raw)
			}
			e.Tables[t].PrimaryKey = append(e.Tables[t].PrimaryKey, ref.Column)
		}
	}
	return nil
}

// pair reads [table index, name].
func pair(raw json.RawMessage) (table int, name string, err error) {
	both := []any{&table, &name}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return 0, "", err
	}
	if len(parts) != 2 {
		return 0, "", fmt.Errorf("%s is not [table, name]", raw)
	}
	for i, p := range parts {
		if err := json.Unmarshal(p, both[i]); err != nil {
			return 0, "", err
		}
	}
	return table, name, nil
}

// column is a column as a tables file describes it.
func column(name, kind, meaning string) schema.Column {
	return schema.Column{Name: name, Type: sqlType(kind), Meaning: meaningful(name, meaning)}
}

// sqlType turns tables.json's words for types into SQL's.
func sqlType(kind string) string {
	switch kind {
	case "number":
		return "REAL"
	case "time":
		return "DATETIME"
	case "others":
		return ""
	}
	return strings.ToUpper(kind)
}

// meaningful returns a meaning that says more than the name, otherwise "".
func meaningful(name, meaning string) string {
	plain := strings.NewReplacer(" ", "", "_", "", "-", "")
	meaning = strings.TrimSpace(meaning)
	if strings.EqualFold(plain.Replace(name), plain.Replace(meaning)) {
		return ""
	}
	return meaning
}

// apply adds the meanings of a tables file, and the keys that the database itself does not declare, to a description read
// from the database.
func (f tableFile) apply(db string, d *schema.Database) {
	e := f[db]
	if e == nil {
		return
	}
	for _, t := range e.Tables {
		table := d.Table(t.Name)
		if table == nil {
			continue
		}
		for _, c := range t.Columns {
			if col := table.Column(c.Name); col != nil {
				col.Meaning = c.Meaning
			}
		}
	}
	for _, k := range e.ForeignKeys {
		if fk, ok := inDatabase(d, k); ok && !slices.Contains(d.ForeignKeys, fk) {
			d.ForeignKeys = append(d.ForeignKeys, fk)
		}
	}
}

// inDatabase spells a key's names as the database does; ok is false where one does not exist.
func inDatabase(d *schema.Database, k schema.ForeignKey) (schema.ForeignKey, bool) {
	for _, end := range [][2]*string{{&k.Table, &k.Column}, {&k.RefTable, &k.RefColumn}} {
		t := d.Table(*end[0])
		if t == nil || t.Column(*end[1]) == nil {
			return k, false
		}
		*end[0], *end[1] = t.Name, t.Column(*end[1]).Name
	}
	return k, true
}

// tablesIn reads the tables files that exist among the names in the folders, or those of Options.Tables; of a database
// described twice the first description holds.
func (l *loader) tablesIn(folders, names []string) error {
	if l.stated != nil {
		for _, path := range l.stated {
			if err := l.addTables(path); err != nil {
				return err
			}
		}
		return nil
	}
	for _, folder := range folders {
		for _, name := range names {
			path := filepath.Join(folder, name)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if err := l.addTables(path); err != nil {
				return err
			}
		}
	}
	if l.bases.tables == nil {
		l.warn(l.cfg.Path, "", "no %s: names and keys come from the database files alone", names[0])
	}
	return nil
}

// addTables adds the databases of a file that no file before it describes.
func (l *loader) addTables(path string) error {
	f, err := l.readTables(path)
	if err != nil {
		return err
	}
	if l.bases.tables == nil {
		l.bases.tables = tableFile{}
	}
	for db, e := range f {
		if l.bases.tables[db] == nil {
			l.bases.tables[db] = e
		}
	}
	return nil
}
