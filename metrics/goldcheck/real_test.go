package goldcheck

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/metrics"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

// shared is the folder of the public data sets.
const shared = "../../../shared/data"

// cases reads a questions file; items whose database is not here are left out.
func cases(t *testing.T, file, databases string) (out []metrics.Case) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, file))
	if err != nil {
		t.Skipf("the data set is not here: %v", err)
	}
	var list []struct {
		DB    string `json:"db_id"`
		Query string `json:"query"`
		SQL   any    `json:"SQL"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for i, q := range list {
		path := filepath.Join(shared, databases, q.DB, q.DB+".sqlite")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		gold := q.Query
		if sql, ok := q.SQL.(string); ok {
			gold = sql
		}
		out = append(out, metrics.Case{Item: fmt.Sprintf("%s/%04d", q.DB, i), DB: q.DB, Database: sqlite.DB(path), Gold: gold})
	}
	return out
}

// tally checks a data set and logs how many items each rule finds; with GOLDCHECK_SHOW also some of the findings.
func tally(t *testing.T, list []metrics.Case, known map[string]int) {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	begin := time.Now()
	found, err := Check(t.Context(), box, list)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d items in %s", len(list), time.Since(begin).Round(time.Millisecond))
	gold := map[string]string{}
	for _, c := range list {
		gold[c.Item] = c.Gold
	}
	for _, r := range rules {
		items := map[string]bool{}
		var shown []string
		for i, f := range found {
			if f.Rule != r.ID {
				continue
			}
			items[f.Item] = true
			if i%7 == 0 && len(shown) < 5 || r.ID == ruleSlow {
				shown = append(shown, fmt.Sprintf("  %s: %s\n     %s", f.Item, f.Text, gold[f.Item]))
			}
		}
		t.Logf("%-20s %4d", r.ID, len(items))
		if os.Getenv("GOLDCHECK_SHOW") != "" {
			t.Log(strings.Join(shown, "\n"))
		}
		if want, ok := known[r.ID]; ok && want != len(items) {
			t.Errorf("%s: %d items, want %d", r.ID, len(items), want)
		}
	}
}

func TestSpiderDev(t *testing.T) {
	tally(t, cases(t, "spider/dev.json", "spider/database"), map[string]int{ruleError: 0, ruleTimeout: 0, ruleUnread: 0, ruleEmpty: 57})
}

func TestBIRDDev(t *testing.T) {
	tally(t, cases(t, "bird/dev/dev.json", "bird/stand_in/database"), map[string]int{ruleUnread: 0})
}

func TestBIRDMiniDev(t *testing.T) {
	tally(t, cases(t, "bird/mini_dev/mini_dev_sqlite.json", "bird/stand_in/database"), map[string]int{ruleUnread: 0})
}
