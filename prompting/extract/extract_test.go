package extract

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/prompting/sql/tree"
)

func TestSQL(t *testing.T) {
	check := func(what, completion, rule, want string) {
		t.Helper()
		if f := SQL(completion, Options{}); f.SQL != want || f.Rule != rule || f.Truncated {
			t.Errorf("%s: got %+v, want %s %q", what, f, rule, want)
		}
	}
	const q = "SELECT name FROM ship WHERE tons > 500"
	// Bare statements.
	check("bare", q, Statement, q)
	check("semicolon and space", "  "+q+" ;\n", Statement, q)
	check("lower case", "select name from ship", Statement, "select name from ship")
	check("several lines", "SELECT name\nFROM ship\n\nWHERE tons > 500\nORDER BY name", Statement, "SELECT name\nFROM ship\n\nWHERE tons > 500\nORDER BY name")
	check("WITH", "WITH big AS (SELECT * FROM ship) SELECT name FROM big", Statement, "WITH big AS (SELECT * FROM ship) SELECT name FROM big")
	check("WITH RECURSIVE and columns", "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c LIMIT 3) SELECT n FROM c;", Statement, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c LIMIT 3) SELECT n FROM c")
	check("sub-query is not the statement", "SELECT name FROM ship WHERE id IN (SELECT ship FROM trip)", Statement, "SELECT name FROM ship WHERE id IN (SELECT ship FROM trip)")
	check("a semicolon in a string", "SELECT 'a;b' FROM ship", Statement, "SELECT 'a;b' FROM ship")
	check("a fence in a string", "SELECT name FROM ship WHERE note = 'x -- y' -- the end", Statement, "SELECT name FROM ship WHERE note = 'x -- y' -- the end")
	check("two statements: the first", q+"; SELECT 1;", Statement, q)
	check("a comment before", "-- ships above 500\n"+q, Statement, q)
	check("a block comment within", "SELECT /* all; of */ name FROM ship", Statement, "SELECT /* all; of */ name FROM ship")
	check("EXPLAIN is left off", "EXPLAIN QUERY PLAN "+q, Statement, q)
	check("parenthesised arms stay", "(SELECT a FROM t) UNION (SELECT b FROM t)", Statement, "(SELECT a FROM t) UNION (SELECT b FROM t)")
	// A statement and more.
	check("explanation after a blank line", q+"\n\nThis query's WHERE clause keeps heavy ships.", Statement, q)
	check("explanation on the next line", q+"\nThis returns the names of heavy ships.", Statement, q)
	check("explanation after the semicolon", q+"; -- done. This returns ships", Statement, q)
	check("explanation with a heading", q+"\nExplanation: we keep 500 and more", Statement, q)
	check("list after", q+"\n\n- name: the ship's name\n- tons: its weight", Statement, q)
	check("sentence before on its line", "The SQL query is: "+q, Statement, q)
	check("sentence before, colon, next line", "Here is the query you asked for:\n\n"+q+"\n", Statement, q)
	check("prose that starts with Select", "Select the ships from the table that weigh more.\n"+q, Statement, q)
	check("prose that starts with With", "With this query, as asked, we find them: "+q, Statement, q)
	check("inline code", "You can use `"+q+"` for that.", Statement, q)
	check("inline code with quoted names", "Use `SELECT `home port` FROM ship` here", Statement, "SELECT `home port` FROM ship")
	check("list item", "1. "+q, Statement, q)
	check("block quote", "> "+q, Statement, q)
	check("a think block", "<think>maybe SELECT 1 FROM x;</think>\n"+q, Statement, q)
	check("invalid SQL is still found", "SELECT name FROM ship WHERE tons >> > 500;", Statement, "SELECT name FROM ship WHERE tons >> > 500")
	check("invalid SQL and prose", "SELECT name FROM WHERE x\n\nIt keeps the ships.", Statement, "SELECT name FROM WHERE x")
	check("a fault is not repaired by halving", "SELECT name FROM ship\nWHERE tons > > 500\nORDER BY name;", Statement, "SELECT name FROM ship\nWHERE tons > > 500\nORDER BY name")
	check("MySQL's comment ends it", q+"\n# that is all", Statement, q)
	// The next demonstration.
	check("next apidocs task", q+"\n### SQLite SQL tables, with their properties:\n#\n# a (b)\n#\n### Question:  More?\nSELECT 2", Statement, q)
	check("next comment task", q+"\n\n-- Using valid SQLite, answer the question\n-- More?\nSELECT 2", Statement, q)
	check("next schema", q+"\nCREATE TABLE a (\n  b INT,\n"+strings.Repeat("  c INT,\n", 100), Statement, q)
	check("next Q", q+"\nQ: And then?\nA: SELECT 2", Statement, q)
	check("next Question", q+"\n\nQuestion: what else?\nSELECT 2", Statement, q)
	check("the prompt repeated", "### SQLite SQL tables, with their properties:\n#\n# ship (name, tons)\n#\n### Question:  Which are heavy?\n"+q, Statement, q)
	// Fences.
	check("fence", "```sql\n"+q+"\n```", Fence, q)
	check("fence without language", "```\n"+q+";\n```\n", Fence, q)
	check("fence, capital language", "```SQL\n"+q+"\n```", Fence, q)
	check("fence on one line", "```sql "+q+"```", Fence, q)
	check("fence in prose", "Sure! Here it is:\n```sqlite\n"+q+"\n```\nIt keeps `tons > 500`.", Fence, q)
	check("fence with a comment in it", "```sql\n-- heavy ships\n"+q+"\n```", Fence, q)
	check("two fences: the last", "Draft:\n```sql\nSELECT 1\n```\nBetter:\n```sql\n"+q+"\n```", Fence, q)
	check("a fence with the result is passed over", "```sql\n"+q+"\n```\nResult:\n```\nname\nAnna\n```", Fence, q)
	check("a fence in Python is passed over", "```python\nprint(1)\n```\nSo:\n"+q, Statement, q)
	check("fence with JSON", "```json\n{\"sql\": \""+q+"\"}\n```", Fence, q)
	check("carriage returns", "```sql\r\n"+q+"\r\n```\r\n", Fence, q)
	check("a closing fence alone", q+"\n```\nThat is it.", Statement, q)
	check("one fence too many", "```sql\n"+q+"\n```\n```", Fence, q)
	check("unclosed fence", "Here:\n```sql\n"+q+"\n", OpenFence, q)
	check("a whole chain of thought in a fence", "```sql\n# This reads ship. It then selects name\n# Thus, the answer for the question is: Which?\n"+q+"\n```", Fence, q)
	// Markers.
	check("chain of thought", "# This query reads the ship table; then SELECT picks.\n# Thus, the answer for the question is: Which ships are heavy?\n"+q, Marker, q)
	check("decomposition", "decompose the question\n1.  Which ships are there?\nSQL table (column):  ship (name)\n2.  Which ships are heavy?\nSQL table (column):  ship (tons)\n# Thus, the answer for the question is:  Which ships are heavy?\n"+q, Marker, q)
	check("decomposition with SQL on the way", "1.  All?\nSELECT name FROM ship\n2.  Heavy?\n# Thus, the answer for the question is:  Heavy?\n"+q, Marker, q)
	check("two answers: the last", "# Thus, the answer for the question is: A?\nSELECT 1\n# Thus, the answer for the question is: B?\n"+q, Marker, q)
	check("the SQL on a marker's line", "Reasoning first, from the table.\nSQL: "+q, Marker, q)
	check("bold marker", "**SQL Query:**\n"+q, Marker, q)
	check("A:", "A: "+q+"\nQ: more?\nA: SELECT 2", Marker, q)
	check("the question repeated", "Q: Which ships are heavy?\nA: "+q, Marker, q)
	check("Answer:", "Answer:\n\n"+q, Marker, q)
	check("a marker after the answer", q+"\n\nSQL: SELECT is a key word", Statement, q)
	check("tags", "Reasoning SELECT 1.\n<FINAL_ANSWER>\n"+q+"\n</FINAL_ANSWER>", Tag, q)
	check("tags round a fence", "<FINAL_ANSWER>```sql\n"+q+"\n```</FINAL_ANSWER>", Tag, q)
	check("an unclosed tag", "<FINAL_ANSWER>\n"+q, Tag, q)
	check("two tags: the last", "<sql>SELECT 1</sql> no: <sql>"+q+"</sql>", Tag, q)
	// Nothing, or no query.
	check("empty", "", None, "")
	check("white space", " \n\t", None, "")
	check("prose", "I cannot answer this question from the tables given.", None, "")
	check("prose with the words", "Select the right rows from the table to see it.", None, "")
	check("SELECT alone in prose", "The SELECT clause would need a column.", None, "")
	check("a statement that is no query", "```sql\nDROP TABLE ship;\n```", Other, "DROP TABLE ship")
	check("a write", "DELETE FROM ship", Other, "DELETE FROM ship")
	check("not UTF-8", "\xff\xfe\n"+q+" OR name = '\xff'", Statement, q+" OR name = '\xff'")
}

func TestAnswer(t *testing.T) {
	check := func(want, completion string, most int) {
		t.Helper()
		if got := Answer(completion, most); got != want {
			t.Errorf("%q: got %q, want %q", completion, got, want)
		}
	}
	check("yes", "yes", 9)
	check(" B", "<think>A? No.</think> B", 99)
	check("C", "a</think>B</think>C", 99)
	check("caf", "café", 4)
	check("\xff", "\xff", 1) // what is whole stays as it is
	check("<th", "<think>A</think>B", 3)
}

func TestContinuation(t *testing.T) {
	check := func(what, completion, rule, want string, truncated bool) {
		t.Helper()
		if f := SQL(completion, Options{Continuation: true}); f != (Found{want, rule, truncated}) {
			t.Errorf("%s: got %+v, want %s %q", what, f, rule, want)
		}
	}
	check("goes on", " name FROM ship", Continuation, "SELECT name FROM ship", false)
	check("a sub-query is not the statement", "name FROM ship WHERE id IN (SELECT ship FROM trip);", Continuation, "SELECT name FROM ship WHERE id IN (SELECT ship FROM trip)", false)
	check("a set operation", "a FROM t UNION SELECT b FROM t", Continuation, "SELECT a FROM t UNION SELECT b FROM t", false)
	check("starts over", "SELECT name FROM ship", Statement, "SELECT name FROM ship", false)
	check("fenced whole", "```sql\nSELECT name FROM ship\n```", Fence, "SELECT name FROM ship", false)
	check("fenced continuation", "```sql\nname\nFROM ship;\n```", Continuation, "SELECT name\nFROM ship", false)
	check("fenced continuation with a sub-query", "```sql\nname FROM ship WHERE id = (SELECT max(id) FROM ship)\n```", Continuation, "SELECT name FROM ship WHERE id = (SELECT max(id) FROM ship)", false)
	check("prose and a statement", "The query is: SELECT name FROM ship", Statement, "SELECT name FROM ship", false)
	check("prose and a fence", "Here you are:\n```sql\nSELECT name FROM ship\n```", Fence, "SELECT name FROM ship", false)
	check("an explanation after", "name FROM ship\n\nThis selects names.", Continuation, "SELECT name FROM ship", false)
	check("next task", "name FROM ship\n\n-- Using valid SQLite, answer\n-- More?\nSELECT 2", Continuation, "SELECT name FROM ship", false)
	check("cut off", "name FROM ship WHERE tons >", Continuation, "SELECT name FROM ship WHERE tons >", true)
	check("no FROM", "count(*)", Continuation, "SELECT count(*)", false)
	check("prose alone", "I am sorry, I cannot tell from this.", None, "", false)
	check("empty", "", None, "", false)
}

func TestTruncated(t *testing.T) {
	check := func(what, completion, rule, want string, truncated bool) {
		t.Helper()
		if f := SQL(completion, Options{}); f != (Found{want, rule, truncated}) {
			t.Errorf("%s: got %+v, want %s %q %v", what, f, rule, want, truncated)
		}
	}
	check("in an operator", "SELECT a FROM t WHERE b =", Statement, "SELECT a FROM t WHERE b =", true)
	check("in a parenthesis", "SELECT a FROM t WHERE b IN (SELECT c", Statement, "SELECT a FROM t WHERE b IN (SELECT c", true)
	check("in a string", "SELECT a FROM t WHERE b = 'Oak", Statement, "SELECT a FROM t WHERE b = 'Oak", true)
	check("in an open fence", "```sql\nSELECT a\nFROM t\nWHERE", OpenFence, "SELECT a\nFROM t\nWHERE", true)
	check("in a closed fence it is a fault", "```sql\nSELECT a FROM t WHERE b =\n```", Fence, "SELECT a FROM t WHERE b =", false)
	check("before a semicolon it is a fault", "SELECT a FROM t WHERE b = ;", Statement, "SELECT a FROM t WHERE b =", false)
	check("an open fence after a whole query", "```sql\nSELECT a FROM t", OpenFence, "SELECT a FROM t", false)
	check("a whole query", "SELECT a FROM t", Statement, "SELECT a FROM t", false)
}

// TestReplay measures the rules on recorded answers of a chat model. Its "dummy_sql" prompts ended in SELECT.
func TestReplay(t *testing.T) {
	f, err := os.Open("../../../shared/data/predictions/replay/tasql_gpt4o_mini_bird_mini_dev.jsonl")
	if err != nil {
		t.Skip("no recorded completions under ../shared/data")
	}
	defer f.Close()
	count, parsed, total := map[string]int{}, 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct{ Stage, Completion string }
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		found := SQL(r.Completion, Options{Continuation: r.Stage == "dummy_sql"})
		if r.Stage == "sr" {
			if found.SQL != "" {
				t.Errorf("SQL found in a Python sketch: %+v\n%s", found, r.Completion)
			}
			continue
		}
		total++
		count[found.Rule]++
		if tree.Refusal(found.SQL) == nil {
			parsed++
		} else {
			t.Logf("does not parse: %+v\n%s", found, r.Completion)
		}
		if found.SQL == "" || found.Truncated {
			t.Errorf("got %+v of\n%s", found, r.Completion)
		}
	}
	t.Logf("%d completions, by rule %v, %d parse", total, count, parsed)
	if total != 1000 || parsed != 985 { // read one by one: the other 15 are whole answers with faults of their own
		t.Errorf("%d of %d parse", parsed, total)
	}
}

func FuzzSQL(f *testing.F) {
	for _, s := range []string{"```sql\nSELECT 1\n```", "A: SELECT 'x", "<sql>SELECT", "SELECT a FROM t\n\nprose's", "WITH a AS (", "name FROM t; ```", "`SELECT `a``"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, continuation bool) {
		got := SQL(s, Options{Continuation: continuation})
		if (got.SQL == "") != (got.Rule == None) {
			t.Fatalf("%+v", got)
		}
		body := got.SQL
		if got.Rule == Continuation {
			body = strings.TrimPrefix(body, "SELECT ")
		}
		if utf8.ValidString(s) && !strings.Contains(s, body) {
			t.Fatalf("not a piece of the completion: %+v", got)
		}
		known := false
		for _, r := range rules {
			known = known || r == got.Rule
		}
		if !known {
			t.Fatalf("unknown rule %q", got.Rule)
		}
	})
}

// BenchmarkHostile is text with many starts, lines and no end.
func BenchmarkHostile(b *testing.B) {
	s := strings.Repeat("SELECT a FROM (WITH x AS (`SELECT \"\nSQL: A: \n\n", 2000)
	for b.Loop() {
		SQL(s, Options{Continuation: true})
	}
}
