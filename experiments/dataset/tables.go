package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// tableFile holds what Spider's tables.json, or BIRD's, says of databases, by database.
type tableFile map[string]*tableEntry

// tableEntry is one database of a tables.json.
type tableEntry struct {
	tables []tableInfo
	keys   [][2]schema.ColumnName
}

type tableInfo struct {
	name    string
	columns []columnInfo
	primary []string
}

type columnInfo struct{ name, kind, meaning string }

func (f tableFile) entry(db string) *tableEntry { return f[db] }

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
	TableOriginal string            `json:"table_name_original"` // of the form that has an entry a table
}

// readTables reads a tables.json: a list of databases, or an object with an entry a table. A database whose entry
// makes no sense is a warning.
func (l *loader) readTables(path string) (tableFile, error) {
	b, err := readJSON(path)
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
// passed over; needs may be nil, for all.
func parseTables(b []byte, needs func(db string) bool) (f tableFile, bad []string, err error) {
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

// entries lists the values of an array, or of an object, which has an entry a table.
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

// addTable adds an entry of the form that has one a table.
func (f tableFile) addTable(r rawTables) error {
	t := tableInfo{name: r.TableOriginal}
	for i, raw := range r.Columns {
		c := columnInfo{kind: at(r.Types, i)}
		if err := json.Unmarshal(raw, &c.name); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
		if i < len(r.Meanings) {
			_ = json.Unmarshal(r.Meanings[i], &c.meaning)
		}
		t.columns = append(t.columns, c)
	}
	if f[r.DB] == nil {
		f[r.DB] = &tableEntry{}
	}
	f[r.DB].tables = append(f[r.DB].tables, t)
	return nil
}

func at[T any](s []T, i int) (v T) {
	if i >= 0 && i < len(s) {
		v = s[i]
	}
	return v
}

// entry resolves the indices of Spider's form.
func (r rawTables) entry() (*tableEntry, error) {
	e := &tableEntry{tables: make([]tableInfo, len(r.Tables))}
	for i, name := range r.Tables {
		e.tables[i].name = name
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
		if table >= len(e.tables) {
			return nil, fmt.Errorf("column %d is of table %d of %d", i, table, len(e.tables))
		}
		c := columnInfo{name: name, kind: at(r.Types, i)}
		if i < len(r.Meanings) {
			_, c.meaning, _ = pair(r.Meanings[i])
		}
		e.tables[table].columns = append(e.tables[table].columns, c)
		refs[i] = schema.ColumnName{Table: e.tables[table].name, Column: name}
	}
	if err := e.addPrimary(r.Primary, refs); err != nil {
		return nil, err
	}
	for _, k := range r.Foreign {
		if len(k) != 2 || at(refs, k[0]).Column == "" || at(refs, k[1]).Column == "" {
			return nil, fmt.Errorf("foreign key %v names no two columns", k)
		}
		e.keys = append(e.keys, [2]schema.ColumnName{refs[k[0]], refs[k[1]]})
	}
	return e, nil
}

func (e *tableEntry) addPrimary(keys []json.RawMessage, refs []schema.ColumnName) error {
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
			t := slices.IndexFunc(e.tables, func(t tableInfo) bool { return t.name == ref.Table })
			if ref.Column == "" || t < 0 {
				return fmt.Errorf("primary key %s names no column", raw)
			}
			e.tables[t].primary = append(e.tables[t].primary, ref.Column)
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

// names is the entry as exact match needs it; nil without an entry.
func (e *tableEntry) names() *tree.Schema {
	if e == nil || len(e.tables) == 0 {
		return nil
	}
	s := &tree.Schema{ForeignKeys: e.keys}
	for _, t := range e.tables {
		m := tree.Table{Name: t.name, PrimaryKey: t.primary}
		for _, c := range t.columns {
			m.Columns = append(m.Columns, c.name)
		}
		s.Tables = append(s.Tables, m)
	}
	return s
}

// database describes the entry where there is no file.
func (e *tableEntry) database(db string) *schema.Database {
	var tables []schema.Table
	for _, t := range e.tables {
		out := schema.Table{Name: t.name, PrimaryKey: t.primary}
		for _, c := range t.columns {
			out.Columns = append(out.Columns, schema.Column{Name: c.name, Type: sqlType(c.kind), Meaning: told(c.name, c.meaning)})
		}
		tables = append(tables, out)
	}
	var keys []schema.ForeignKey
	for _, k := range e.keys {
		keys = append(keys, foreignKey(k))
	}
	return schema.New(db, tables, keys)
}

func foreignKey(k [2]schema.ColumnName) schema.ForeignKey {
	return schema.ForeignKey{Table: k[0].Table, Column: k[0].Column, RefTable: k[1].Table, RefColumn: k[1].Column}
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

// told is a meaning that says more than the name, else "".
func told(name, meaning string) string {
	plain := strings.NewReplacer(" ", "", "_", "", "-", "")
	meaning = strings.TrimSpace(meaning)
	if strings.EqualFold(plain.Replace(name), plain.Replace(meaning)) {
		return ""
	}
	return meaning
}

// apply adds meanings, and the keys that the file does not declare, to a description read from the file.
func (e *tableEntry) apply(d *schema.Database) {
	if e == nil {
		return
	}
	for _, t := range e.tables {
		table := d.Table(t.name)
		if table == nil {
			continue
		}
		for _, c := range t.columns {
			if col := table.Column(c.name); col != nil {
				col.Meaning = told(c.name, c.meaning)
			}
		}
	}
	for _, k := range e.keys {
		if fk, ok := inDatabase(d, foreignKey(k)); ok && !slices.Contains(d.ForeignKeys, fk) {
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

// tablesIn reads the tables files that exist among the names in the folders; of a database described twice the first
// description holds.
func (l *loader) tablesIn(folders, names []string) error {
	for _, folder := range folders {
		for _, name := range names {
			path := filepath.Join(folder, name)
			if _, err := os.Stat(path); err != nil {
				continue
			}
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
		}
	}
	if l.bases.tables == nil {
		l.warn(l.cfg.Path, "", "no %s: names and keys come from the database files alone", names[0])
	}
	return nil
}
