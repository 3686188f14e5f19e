package paper

import (
	"strings"
	"testing"
)

// TestRivals: what was printed of a method stands with who printed it, test-suite and execution accuracy apart, and beside a
// run of the same items alone.
func TestRivals(t *testing.T) {
	r := answered(t, arm("c3", "c3", "published = \"c3 gpt-3.5 others\"")+arm("mac-sql", "mac-sql", "published = \"mac-sql gpt-4\""), map[string]string{"c3": "++--", "mac-sql": "+++-"})
	check := holds(t, r, "rivals/methods-published")
	check("run here|DIN-SQL + GPT-4|[S] as CodeS lists it", "Spider dev/TS", "74.20")
	check("run here|DIN-SQL + GPT-4|[P] arXiv 2304.11015, Tables 2 to 4", "Spider dev/EX", "")
	check("run here|MAC-SQL + GPT-4|[P] arXiv 2312.11242, Tables 1 to 4", "Spider dev/EX", "86.75")
	check("run here|CHESS (IR, CG, UT)|[R] ShayanTalaei/CHESS", "BIRD test/EX", "71.10")
	seen := map[string]bool{}
	for _, c := range one(t, r, "rivals/methods").Table.Columns {
		if name := c.Group + "/" + c.Name; seen[name] {
			t.Errorf("two columns %q", name)
		} else {
			seen[name] = true
		}
	}
	for _, row := range one(t, r, "rivals/methods").Table.Rows {
		if text := row[0].String(); strings.Contains(text, "GPT") {
			t.Errorf("a published row beside other items: %s", text)
		}
	}
	for _, row := range described() {
		if row.Name != "rivals/methods" {
			continue
		}
		for _, p := range row.printed.Rows {
			if s := p["source"]; !strings.HasPrefix(s, "[P] ") && !strings.HasPrefix(s, "[R] ") && !strings.HasPrefix(s, "[S] ") {
				t.Errorf("%s: source %q", p["method"], s)
			}
		}
	}
}
