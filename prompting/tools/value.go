package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"assay/prompting/values"
)

// longestShown is how many characters of a cell SearchValue shows.
const longestShown = 200

// searchValue looks a text up in the index of the database's text cells, all or those of a table or column. The index
// is that of value retrieval, so a cell longer than its Options.MaxLength is not found.
func (s *Set) searchValue(ctx context.Context, value, table, column string) (Observation, error) {
	table, column, where, err := s.scope(table, column)
	if err != nil {
		return bad("%s.", err), nil
	}
	x, err := s.index(ctx)
	if err != nil {
		return Observation{}, err
	}
	if !x.Has(table, column) {
		return Observation{Text: "Nothing found: " + where + " has no text cells; numbers are found by ExecuteSQL."}, nil
	}
	hits, err := x.Search(ctx, values.TextQuery{Text: value, Table: table, Column: column, K: s.o.TopK})
	if err != nil {
		return Observation{}, err
	}
	if len(hits) == 0 {
		return Observation{Text: "Nothing found: no text cell of " + where + " is like " + repr(clip(value, 80)) + "."}, nil
	}
	return Observation{Text: foundText(hits)}, nil
}

// foundText writes the hits, one a line, as JSON: a cell's line breaks and quotes cannot be taken for the dialogue's.
func foundText(hits []values.Hit) string {
	lines := make([]string, len(hits))
	for i, h := range hits {
		lines[i] = jsonLine(struct {
			Contents string `json:"contents"`
			Table    string `json:"table"`
			Column   string `json:"column"`
		}{cut(h.Value, longestShown), h.Table, h.Column})
	}
	return strings.Join(lines, "\n")
}

// jsonLine returns a value of strings as JSON on one line.
func jsonLine(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error() // unreachable: strings can always be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// scope checks a table and a column, either of which may be empty, and returns them as the database spells them with
// words for the two. A column may bring its table along, as table.column, and so may the table argument.
func (s *Set) scope(table, column string) (t, c, where string, err error) {
	if table == "" && column == "" {
		return "", "", "the database", nil
	}
	k := s.desk.graph()
	if table == "" {
		return k.scopeOf(column)
	}
	p, err := k.one(table)
	if err != nil {
		return "", "", "", fmt.Errorf("there is no table %s%s", clip(table, 80), k.advice(""))
	}
	if p.column != "" && column == "" && strings.Contains(table, ".") {
		return k.db.Tables[p.table].Name, p.column, k.name(p), nil
	}
	if p.column != "" {
		return "", "", "", fmt.Errorf("there is no table %s%s", clip(table, 80), k.advice(""))
	}
	if column == "" {
		return k.name(p), "", "the table " + k.name(p), nil
	}
	if !strings.Contains(column, ".") {
		column = k.name(p) + "." + column
	}
	if p, err = k.one(column); err != nil {
		return "", "", "", err
	}
	return k.db.Tables[p.table].Name, p.column, k.name(p), nil
}

// scopeOf returns the scope of a column without a table: in every table that has it.
func (k *keys) scopeOf(column string) (t, c, where string, err error) {
	plain := plainName(column)
	for _, p := range k.places[plain] {
		if p.column == "" {
			continue
		}
		if strings.Contains(plain, ".") && k.places[plain][0] == p {
			return k.db.Tables[p.table].Name, p.column, k.name(p), nil
		}
		return "", p.column, "the columns named " + p.column, nil
	}
	return "", "", "", fmt.Errorf("there is no column %s%s", clip(column, 80), k.advice(plain))
}
