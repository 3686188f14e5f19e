package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
)

// sampleRows bounds the rows of a table that are read: more than a neighbour ever has.
const sampleRows = 3000

// reader reads a catalog from a file.
type reader struct {
	ctx  context.Context
	path string
	cat  *catalog
}

// readCatalog reads the shape and a sample of a database.
func readCatalog(ctx context.Context, path string) (*catalog, error) {
	r := &reader{ctx: ctx, path: path, cat: &catalog{}}
	for _, step := range []func() error{r.readMaster, r.readColumns, r.readUnique, r.readForeign, r.readRows} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.cat.sort()
	r.cat.pools()
	return r.cat, nil
}

// query returns all rows of a query of ours.
func (r *reader) query(sql string) (out []row, err error) {
	err = sqlite.Each(r.ctx, r.path, sql, func(values []engine.Value) error {
		out = append(out, slices.Clone(row(values)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return out, nil
}

// literal returns a text as SQL.
func literal(s string) string { return sqlite.Literal(engine.OfText(s)) }

// readMaster reads what was created. Shadow tables come with their virtual table, sqlite_ ones by themselves.
func (r *reader) readMaster() error {
	enc, err := r.query("PRAGMA encoding")
	if err != nil {
		return err
	}
	r.cat.encoding = enc[0][0].Bytes()
	kinds, err := r.query(`SELECT m.name, l.type FROM sqlite_master AS m JOIN pragma_table_list(m.name) AS l
		WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%')`)
	if err != nil {
		return err
	}
	kind := map[string]string{}
	for _, k := range kinds {
		kind[k[0].Bytes()] = k[1].Bytes()
	}
	made, err := r.query(`SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL
		ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END, rowid`)
	if err != nil {
		return err
	}
	for _, m := range made {
		name, sql := m[1].Bytes(), m[2].Bytes()
		switch {
		case m[0].Bytes() == "index":
			r.cat.indexes = append(r.cat.indexes, sql)
		case m[0].Bytes() != "table":
			if kind[name] != "shadow" {
				r.cat.later = append(r.cat.later, sql)
			}
		case kind[name] != "shadow" && !strings.HasPrefix(strings.ToLower(name), "sqlite_"):
			r.cat.tables = append(r.cat.tables, &table{name: name, sql: sql, opaque: kind[name] == "virtual", at: len(r.cat.tables)})
		}
	}
	return nil
}

func (r *reader) readColumns() error {
	for _, t := range r.cat.tables {
		infos, err := r.query(`SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(` + literal(t.name) + `) ORDER BY cid`)
		if err != nil {
			return err
		}
		r.cat.schema.Add(t.name)
		primary := map[int64]int{} // by place in the key
		for _, c := range infos {
			name, declared, pk, hidden := c[0].Bytes(), c[1].Bytes(), c[3].Int64(), c[4].Int64()
			if hidden == 1 {
				continue
			}
			r.cat.schema.Add(t.name, name)
			if pk > 0 {
				primary[pk] = len(t.columns)
			}
			if hidden == 0 {
				t.columns = append(t.columns, column{name: name, affinity: sqlite.AffinityOf(declared), notNull: c[2].Int64() != 0,
					rowid: strings.EqualFold(declared, "INTEGER") && pk == 1})
			}
		}
		r.keepPrimary(t, primary)
	}
	return nil
}

// keepPrimary puts the primary key first among the unique sets. Only one column can be the rowid.
func (r *reader) keepPrimary(t *table, primary map[int64]int) {
	var set []int
	for place := int64(1); place <= int64(len(primary)); place++ {
		set = append(set, primary[place])
	}
	for _, i := range set {
		t.columns[i].rowid = t.columns[i].rowid && len(set) == 1
		t.columns[i].notNull = t.columns[i].notNull || !t.columns[i].rowid // NULLs in keys are SQLite's quirk: none are made
	}
	if len(set) > 0 {
		t.unique, t.primary = [][]int{set}, true
	}
}

func (r *reader) readUnique() error {
	for _, t := range r.cat.tables {
		found, err := r.query(`SELECT l.name, i.name FROM pragma_index_list(` + literal(t.name) + `) AS l JOIN pragma_index_info(l.name) AS i
			WHERE l."unique" AND NOT l.partial AND l.origin <> 'pk' ORDER BY l.seq, i.seqno`)
		if err != nil {
			return err
		}
		sets, last := [][]int{}, ""
		whole := map[int]bool{}
		for _, f := range found {
			if len(sets) == 0 || f[0].Bytes() != last {
				sets, last = append(sets, nil), f[0].Bytes()
				whole[len(sets)-1] = true
			}
			at := t.index(f[1].Bytes())
			if at < 0 { // an expression, or a generated column: SQLite itself refuses the rows
				whole[len(sets)-1] = false
				continue
			}
			sets[len(sets)-1] = append(sets[len(sets)-1], at)
		}
		for i, set := range sets {
			if whole[i] {
				t.unique = append(t.unique, set)
			}
		}
	}
	return nil
}

// readForeign reads the references. One that names what is not there is left out, as it can never be checked.
func (r *reader) readForeign() error {
	for _, t := range r.cat.tables {
		found, err := r.query(`SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(` + literal(t.name) + `) ORDER BY id, seq`)
		if err != nil {
			return err
		}
		for i := 0; i < len(found); {
			j := i
			for j < len(found) && found[j][0] == found[i][0] {
				j++
			}
			if f, ok := r.reference(t, found[i:j]); ok {
				t.foreign = append(t.foreign, f)
			}
			i = j
		}
	}
	return nil
}

func (r *reader) reference(t *table, lines []row) (foreignKey, bool) {
	f := foreignKey{parent: r.cat.find(lines[0][1].Bytes())}
	if f.parent == nil || f.parent.opaque {
		return f, false
	}
	for seq, l := range lines {
		from, to := t.index(l[2].Bytes()), -1
		if l[3].Kind() != engine.Null {
			to = f.parent.index(l[3].Bytes())
		} else if f.parent.primary && len(f.parent.unique[0]) == len(lines) {
			to = f.parent.unique[0][seq]
		}
		if from < 0 || to < 0 {
			return f, false
		}
		f.columns, f.key = append(f.columns, from), append(f.key, to)
	}
	return f, true
}

// readRows samples each table: all rows of a small one, and rows at even distances of a large one.
func (r *reader) readRows() error {
	for _, t := range r.cat.tables {
		count, err := r.query("SELECT count(*) FROM " + sqlite.Quote(t.name))
		if err != nil {
			return err
		}
		t.total = int(count[0][0].Int64())
		var names []string
		for _, c := range t.columns {
			names = append(names, sqlite.Quote(c.name))
		}
		if len(names) == 0 {
			continue
		}
		list := "SELECT " + strings.Join(names, ", ")
		limit := fmt.Sprintf(" LIMIT %d", sampleRows)
		if step := (t.total + sampleRows - 1) / sampleRows; step > 1 {
			t.rows, err = r.query(fmt.Sprintf("%s FROM (SELECT *, row_number() OVER () AS assay_n FROM %s) WHERE assay_n %% %d = 0%s",
				list, sqlite.Quote(t.name), step, limit))
		} else {
			t.rows, err = r.query(list + " FROM " + sqlite.Quote(t.name) + limit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
