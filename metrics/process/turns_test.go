package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeTurns(t *testing.T) {
	check := func(answer string, turns []Turn, want ...Worth) {
		t.Helper()
		if d := cmp.Diff(want, JudgeTurns(turns, answer, harbour())); d != "" {
			t.Errorf("%s: %s", answer, d)
		}
	}
	const answer = "SELECT T1.name FROM ferry AS T1 JOIN trip AS T2 ON T1.id = T2.ferry_id WHERE T1.name LIKE '%Star%'"
	name := `{"column":"name","table":"ferry","type":"TEXT"}`
	check(answer, []Turn{
		{"SearchColumn('name')", name + "\n" + `{"column":"day","table":"trip"}`},
		{"SearchColumn('title')", name}, // told before
		{"SearchColumn('name')", name},  // the same action
		{"SearchColumn('berth')", `{"column":"id","table":"harbour"}`},
		{"SearchValue('star')", `{"contents":"STAR","table":"ferry","column":"name"}`},
		{"SearchValue('moon')", "Nothing found: no text cell is like 'moon'."},
		{"FindShortestPath('ferry', 'trip')", "ferry.id = trip.ferry_id"},
		{"ExecuteSQL('SELECT nme FROM ferry')", "Error: the query failed: no such column: nme"},
		{"ExecuteSQL('SELECT name FROM ferry')", "[('Ann',)]"},
		{`ExecuteSQL("SELECT T1.name FROM ferry AS T1 JOIN trip AS T2 ON T1.id = T2.ferry_id\n WHERE T1.name LIKE '%Star%'")`, "[('Star',)]"},
		{"", "Error: there is no action in this."},
		{"Done()", ""},
	}, Used, Repeated, Repeated, Unused, Used, Unused, Used, Failed, Tried, Answered, Failed, Ended)
	// A value that a query showed, and that the answer compares with.
	check("SELECT id FROM ferry WHERE name = 'Star of the Sea'", []Turn{
		{"ExecuteSQL('SELECT name FROM ferry')", "[('Star of the Sea',), ('Ann',)]"},
		{"ExecuteSQL('SELECT id FROM ferry WHERE name = \\'Star of the Sea\\'')", "[(1,)]"},
	}, Used, Answered)
	check("", []Turn{{"SearchColumn('name')", name}, {"Done()", "Error: run a query first."}}, Unused, Failed)
	check("gibberish", []Turn{{"Done()", ""}}, Ended)
}

func TestTurn(t *testing.T) {
	check := func(action, tool, sql string) {
		t.Helper()
		x := Turn{Action: action}
		if x.Tool() != tool || x.SQL() != sql {
			t.Errorf("%s: %q %q, want %q %q", action, x.Tool(), x.SQL(), tool, sql)
		}
	}
	check(`ExecuteSQL("SELECT 'a' FROM \"b\"\n")`, "ExecuteSQL", "SELECT 'a' FROM \"b\"\n")
	check(`ExecuteSQL('SELECT \'é\' \e')`, "ExecuteSQL", "SELECT 'é' e")
	check(`ExecuteSQL(SELECT 1)`, "ExecuteSQL", "SELECT 1")
	check(`ExecuteSQL(`, "ExecuteSQL", "")
	check(`SearchColumn(['a'])`, "SearchColumn", "")
	check(`nothing`, "", "")
	check(``, "", "")
}
