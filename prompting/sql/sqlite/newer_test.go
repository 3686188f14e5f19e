package sqlite

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/sandbox"
)

// than340 are queries that SQLite 3.40.1 refuses or answers with NULL, with what is said of each; those of which nothing
// is said, it runs.
var than340 = [][2]string{
	{"SELECT concat('a', 'b')", "concat()"},
	{"SELECT CONCAT_WS ('-', 'a', 'b')", "concat_ws()"},
	{"SELECT string_agg(a, ',') FROM t", "string_agg()"},
	{"SELECT timediff('2024-02-01', '2024-01-01')", "timediff()"},
	{"SELECT octet_length('a')", "octet_length()"},
	{"SELECT unhex('41')", "unhex()"},
	{"SELECT unistr('a')", "unistr()"},
	{"SELECT unistr_quote('a')", "unistr_quote()"},
	{"SELECT if(1, 2, 3)", "if()"},
	{"SELECT json_pretty('[1]')", "json_pretty()"},
	{"SELECT json_error_position('{')", "json_error_position()"},
	{"SELECT json_array_insert('[1]', '$[0]', 2)", "json_array_insert()"},
	{"SELECT json(jsonb_extract('{\"a\":[1]}', '$.a'))", "jsonb_extract()"},
	{"SELECT key FROM jsonb_each('[1]')", "jsonb_each()"},
	{"SELECT iif(1, 2)", "iif() of 2 arguments"},
	{"SELECT iif(0, max(1, 2), 1, (SELECT 3))", "iif() of 4 arguments"},
	{"SELECT json_valid('1', 2)", "json_valid() of 2 arguments"},
	{"SELECT group_concat(a, ',' ORDER BY a DESC) FROM t", "ORDER BY within group_concat()"},
	{"SELECT json_group_array(DISTINCT a ORDER BY a) FROM t", "ORDER BY within json_group_array()"},
	{"SELECT 1_000", "a number with _ between digits"},
	{"SELECT strftime('%F of %d', '2024-01-05')", "%F of strftime()"},
	{"SELECT strftime('%Y-%I %p', '2024-01-05')", "%I of strftime()|%p of strftime()"},
	{"SELECT date('2024-01-31', '+1 month', 'FLOOR')", "'floor' of date()"},
	{"SELECT unixepoch('2024-01-31', 'subsec')", "'subsec' of unixepoch()"},

	{"SELECT iif(1, 2, 3), json_valid('1'), group_concat(a) FROM t", ""},
	{"SELECT sum(a) OVER (ORDER BY a), (SELECT a FROM t ORDER BY a) FROM t ORDER BY a", ""},
	{"SELECT max((SELECT a FROM t ORDER BY a)) FROM t", ""},
	{"SELECT 'concat(1)', concat FROM (SELECT 1 AS concat) -- if(1, 2)", ""},
	{"SELECT strftime('%d %f %H %j %J %m %M %s %S %w %W %Y %%F', '2024-01-05')", ""},
	{"SELECT 'a' || 'floor', date('2024-01-05', 'weekday 0')", ""},
	{"WITH concat(a) AS (SELECT 1) SELECT a FROM concat", "concat()"}, // the price of reading no more than words
}

func TestNewer(t *testing.T) {
	box, path := sandbox.New(sandbox.Options{}), build(t, "a.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
	for _, x := range than340 {
		if _, err := box.Run(context.Background(), DB(path), x[0]); err != nil {
			t.Errorf("this SQLite does not run it: %v", err)
		}
		var said []string
		for _, s := range Newer(x[0]) {
			what, _, _ := strings.Cut(s, " is newer than SQLite 3.40.1: an evaluator on that ")
			said = append(said, what)
		}
		if got := strings.Join(said, "|"); got != x[1] {
			t.Errorf("%s: said %q, want %q", x[0], got, x[1])
		}
	}
	for _, s := range []string{"", ")", "))((", "concat(", "concat(,", "iif(,)", "SELECT 'x"} {
		Newer(s) // does not panic
	}
}

// TestNewerOnTheReference holds the list against the references' own SQLite, where a Python has it.
func TestNewerOnTheReference(t *testing.T) {
	const ask = `import sqlite3, sys
if sqlite3.sqlite_version != "3.40.1": print("version " + sqlite3.sqlite_version); sys.exit()
c = sqlite3.connect(":memory:"); c.execute("CREATE TABLE t (a)"); c.execute("INSERT INTO t VALUES (1)")
for q in sys.argv[1:]:
    try: print("NULL" if c.execute(q).fetchone()[0] is None else "runs")
    except sqlite3.Error as e: print("refused")
`
	args := []string{"-c", ask}
	for _, x := range than340 {
		args = append(args, x[0])
	}
	out, err := exec.Command("python3", args...).Output()
	if err != nil || strings.HasPrefix(string(out), "version") {
		t.Skipf("no python3 with SQLite 3.40.1: %s %v", out, err)
	}
	for i, got := range strings.Fields(string(out)) {
		want := "runs"
		if says := strings.Join(Newer(than340[i][0]), " "); strings.Contains(says, "gets NULL") {
			want = "NULL"
		} else if strings.Contains(says, "refuses") && !strings.HasPrefix(than340[i][0], "WITH") {
			want = "refused"
		}
		if got != want {
			t.Errorf("%s: %s, said %s", than340[i][0], got, want)
		}
	}
}

// TestFunctions: the engine names its functions, and among them each that is said to be newer.
func TestFunctions(t *testing.T) {
	names, err := Engine{}.Dialect().Functions()
	if err != nil || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%v, %v", names, err)
	}
	for _, want := range append([]string{"abs", "count", "sqrt", "strftime", "substr"}, newerFunctions...) {
		table := want == "if" || strings.HasPrefix(want, "unistr_quote")
		if !table && !slices.Contains(names, want) {
			t.Errorf("no function %s", want)
		}
	}
}
