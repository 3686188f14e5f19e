package exact

import (
	"database/sql"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"assay/prompting/sql/schema"

	_ "github.com/mattn/go-sqlite3"
)

const shared = "../../../shared/data/"

// realFile reads a file of the real data, and skips the test where there is none.
func realFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(shared + name)
	if err != nil {
		t.Skipf("no real data here: %v", err)
	}
	return raw
}

// table reads a tab-separated file with a header as rows by column name; a header "x(a,b)" is named "x".
func table(t testing.TB, name string) []map[string]string {
	t.Helper()
	lines := strings.Split(strings.TrimRight(string(realFile(t, name)), "\n"), "\n")
	header := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "\t") {
			key, _, _ := strings.Cut(header[i], "(")
			row[key] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// schemas reads Spider's tables.json.
func schemas(t testing.TB) map[string]*schema.Database {
	t.Helper()
	var list []struct {
		DB      string   `json:"db_id"`
		Tables  []string `json:"table_names_original"`
		Columns [][2]any `json:"column_names_original"`
		Foreign [][2]int `json:"foreign_keys"`
	}
	if err := json.Unmarshal(realFile(t, "spider/tables.json"), &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]*schema.Database{}
	for _, e := range list {
		s := &schema.Database{}
		for _, name := range e.Tables {
			s.Tables = append(s.Tables, schema.Table{Name: name})
		}
		refs := make([]schema.ColumnName, len(e.Columns))
		for i, c := range e.Columns {
			if at := int(c[0].(float64)); at >= 0 {
				tab := &s.Tables[at]
				tab.Columns = append(tab.Columns, schema.Column{Name: c[1].(string)})
				refs[i] = schema.ColumnName{Table: tab.Name, Column: c[1].(string)}
			}
		}
		for _, f := range e.Foreign {
			from, to := refs[f[0]], refs[f[1]]
			s.ForeignKeys = append(s.ForeignKeys, schema.ForeignKey{Table: from.Table, Column: from.Column, RefTable: to.Table, RefColumn: to.Column})
		}
		out[e.DB] = inFile(t, e.DB, s)
	}
	return out
}

// inFile drops the tables that the database's file does not have: the official evaluators take the names from the file,
// and only the foreign keys from tables.json. Without a file the schema is as it was.
func inFile(t testing.TB, db string, s *schema.Database) *schema.Database {
	t.Helper()
	path := shared + "spider/database/" + db + "/" + db + ".sqlite"
	if _, err := os.Stat(path); err != nil {
		return s
	}
	conn, err := sql.Open("sqlite3", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	out := &schema.Database{ForeignKeys: s.ForeignKeys}
	for _, tab := range s.Tables {
		var n int
		err := conn.QueryRow("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)", tab.Name).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			out.Tables = append(out.Tables, tab)
		}
	}
	return out
}

// question is a gold query with its database.
type question struct {
	DB    string `json:"db_id"`
	Query string `json:"query"`
}

func questions(t testing.TB, name string) []question {
	t.Helper()
	var list []question
	if err := json.Unmarshal(realFile(t, name), &list); err != nil {
		t.Fatal(err)
	}
	return list
}
