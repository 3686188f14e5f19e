package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/plots/terminal"

	"github.com/spf13/cobra"
)

// hostileText has what a terminal obeys or does not show: OSC 52 and 8, CSI, controls of both kinds, directions, invisible
// characters, and styles and line returns such as our own.
const hostileText = "\x1b]52;c;aGFjaw==\x07\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\\x1b[2J\x1b[1mb\x1b[0m\u009b31m\u009d0;t\u009c\rlie\b\b\x7f\u202etxt\u2066\u200b\U000e0041\u2028\ufeff"

// hostileBytes has controls of the second kind as bytes that are not UTF-8 too; no JSON can hold them.
const hostileBytes = hostileText + "\x9b2J\x9d52;c;x\x9c\xff"

// hostileWorld is a folder in which every text is hostile: a data set, its database, a model's answers, and files.
type hostileWorld struct {
	dir string
	url string // of the model's server
}

func newHostileWorld(t *testing.T) *hostileWorld {
	t.Helper()
	w := &hostileWorld{dir: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/files") || strings.HasPrefix(r.URL.Path, "/batches") {
			_ = json.NewEncoder(rw).Encode(map[string]any{"id": hostileText, "status": "failed", "errors": map[string]any{"data": []any{map[string]any{"code": hostileText, "message": hostileText}}}})
			return
		}
		if r.Method != http.MethodPost {
			http.Error(rw, hostileBytes, http.StatusNotFound)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("Fail")) {
			http.Error(rw, hostileBytes, http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"model": hostileText, "system_fingerprint": hostileText,
			"choices": []any{map[string]any{"index": 0, "finish_reason": "odd" + hostileText, "message": map[string]any{"role": "assistant",
				"reasoning_content": hostileText, "content": "```sql\nSELECT name, '" + hostileText + "' FROM t\n```"}}}})
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	questions := []map[string]any{
		{"question_id": 1, "db_id": "h", "question": "List names " + hostileText, "evidence": hostileText, "SQL": "SELECT name FROM t -- " + hostileText, "difficulty": "simple"},
		{"question_id": 2, "db_id": "h", "question": "Fail " + hostileText, "evidence": "", "SQL": "SELEC '" + hostileText + "'", "difficulty": "simple"},
	}
	encoded, _ := json.Marshal(questions)
	w.file(t, "data/dev.json", string(encoded))
	w.file(t, "data/dev_databases/h/h.sqlite", "")
	db, err := sql.Open("sqlite3", filepath.Join(w.dir, "data/dev_databases/h/h.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	odd := `"c` + strings.ReplaceAll(hostileText, `"`, "") + `"`
	if _, err := db.Exec("CREATE TABLE t (name TEXT, "+odd+" TEXT); CREATE TABLE "+odd+" (id INTEGER); INSERT INTO t VALUES (?, 'x')", hostileBytes); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(hostileText) // TOML's basic strings have JSON's escapes
	toml := strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)
	w.file(t, "x.toml", fmt.Sprintf("name = \"x\"\nshows = %s\nmetrics = [\"ex\"]\n[dataset]\nkind = \"bird\"\npath = \"data\"\n[model]\nprovider = \"openai\"\nname = %s\nbase_url = %q\n"+
		"[limits]\nattempts = 1\n[[arm]]\nname = \"a\"\nlabel = %s\nmethod = \"standard\"\n[[arm]]\nname = \"b\"\nmethod = \"standard\"\n", toml, toml, w.url, toml))
	w.file(t, "bad.toml", "name = \"x\"\n'"+strings.ReplaceAll(hostileText, "\r", "")+"' = 1\n")
	answer, _ := json.Marshal(map[string]any{"custom_id": hostileText, "error": hostileText})
	w.file(t, "hostile.jsonl", string(answer)+"\n{\"custom_id\": \""+hostileBytes+"\n")
	w.file(t, "hostile.csv", strings.ReplaceAll("id,question,sql,NAME\nNAME,NAME,SELECT 'NAME' FROM t\n,NAME,NAME\n", "NAME", strings.NewReplacer("\r", "", "\ufeff", "", ",", "", "\"", "").Replace(hostileText)))
	w.file(t, "pred.txt", "SELECT '"+hostileBytes+"' FROM t\nSELEC\n")
	oneLine := strings.NewReplacer("\t", "", "\n", "", "\r", "", "\u2028", "").Replace(hostileBytes)
	w.file(t, "hostile.txt", "SELECT '"+oneLine+"' FROM t\nSELEC '"+oneLine+"'\n")
	w.file(t, "gold.txt", "SELECT name FROM t\th\nSELEC "+oneLine+"\th\n")
	w.file(t, "spider.txt", "SELECT name FROM t\th\nSELECT name FROM t WHERE name = '"+oneLine+"'\th\n")
	w.file(t, "tables.json", "[]")
	w.file(t, "pred.json", `{"0": `+string(quoted)+`, "1": 0}`)
	seen := strings.NewReplacer("\x1b", "", "\x07", "", "\b", "", "\r", "", "\x7f", "", "\ufeff", "").Replace(hostileText) // Starlark refuses the others
	w.file(t, "m/method.star", "# "+seen+"\ndef answer(q):\n    print(\""+seen+"\")\n    return \"SELECT 1\"\n")
	return w
}

func (w *hostileWorld) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// hostileBatch sends a batch that has a hostile id.
const hostileBatch = "x.toml --batch --set model.temperature=0.5 --limit 1"

// hostileCases are the command lines of each verb, with hostile text wherever it may reach them. H is the text, without the
// zero bytes and slashes that arguments cannot have.
var hostileCases = map[string][]string{
	"assay man":                    {"H", "share"},
	"assay batch list":             {"", "--json", "--all", "H"},
	"assay batch export":           {"x.toml requests.jsonl --set model.temperature=0.7", "x.toml - --set model.temperature=0.8", "x.toml H --set model.temperature=0.9", "H H"},
	"assay batch import":           {"requests.jsonl", "requests.jsonl --json", "pred.txt", "hostile.jsonl", "H"},
	"assay batch cancel":           {"H", "H --forget"},
	"assay run":                    {hostileBatch, "x.toml", "x.toml --json", "H", "x.toml --set H=1", "x.toml --H"},
	"assay runs":                   {"", "--json", "H", "x"},
	"assay report":                 {"x", "x --paper bounds", "x --html", "H", "x --paper H", "--list", "--list x --json", "x --arms H", "x --arms a=H", "x --order H", "x --columns H", "x --labels H", "x --labels x.toml --decimals 2", "x --paper-figures --width column", "x --width H"},
	"assay diff":                   {"x x", "x H", "x x --format md", "x x --format csv", "x x --format html", "x x --json", "x x --prompts"},
	"assay show":                   {"x bird/dev/1", "x bird/dev/2", "x bird/dev/1 --json", "x H", "x bird/dev/1 --brief", "x bird/dev/1 --replies --stage H", "x bird/dev/1 --stage generate --sample 0", "x --alone H"},
	"assay prompt":                 {"x.toml --arm a --item bird/dev/1", "x.toml --arm a --item H", "x.toml --arm a --item bird/dev/1 --json"},
	"assay demos make":             {"--dataset bird --data data --split dev --out made.toml --what steps,cot,division,plan,dialogue --review made.csv", "--dataset bird --data data --split dev --out - --what cot", "--dataset bird --data data --split dev --out drafted.toml --by openai/H --set model.base_url=URL --json", "--dataset bird --data data --split dev --out scored.toml --score-by openai/H --set model.base_url=URL", "--out H --what H", "--out x --hardness H", "--out x --by H", "--out x --by openai/x --score-by H/H"},
	"assay demos check":            {"made.toml --dataset bird --data data --split dev", "made.toml --dataset bird --data data --split dev --json", "H", "bad.toml"},
	"assay demos review":           {"made.toml --out -", "made.toml --out review.csv", "H --out -", "bad.toml --out -"},
	"assay demos apply":            {"made.toml --review review.csv --out applied.toml", "made.toml --review hostile.csv --out -", "made.toml --review made.csv --out - --json", "H --review H --out -"},
	"assay config list":            {"", "--json", "H"},
	"assay config check":           {"x.toml", "bad.toml", "H"},
	"assay config show":            {"x.toml", "H", "x.toml --fidelity", "x.toml --fidelity --set report.tables=it2s/table2", "x.toml --fidelity --set report.tables=it2s/table2 --format csv", "x.toml --fidelity --set report.tables=it2s/table2 --format latex", "x.toml --fidelity --set report.tables=it2s/table2 --json", "x.toml --fidelity --format H"},
	"assay config reference":       {""},
	"assay version":                {"", "--json"},
	"assay eval":                   {"--dataset bird --data data --pred pred.txt", "--dataset bird --data data --pred pred.txt --format csv", "--dataset bird --data data --pred pred.txt --json", "--dataset bird --data data --pred H", "--dataset bird --data data --pred pred.txt --metric mine=H --allow-commands", "--dataset bird --data data --pred pred.txt --metric H"},
	"assay eval-spider":            {"--gold gold.txt --pred hostile.txt --db data/dev_databases", "--gold gold.txt --pred hostile.txt --db data/dev_databases --table H --etype all", "--gold H --pred pred.txt --db H", "--gold pred.txt --pred pred.txt --db data/dev_databases", "--gold gold.txt --pred pred.txt --db H --etype H", "--gold spider.txt --pred hostile.txt --db data/dev_databases --table tables.json --etype match"},
	"assay eval-bird":              {"--predicted_sql_path pred.json --ground_truth_path gold.txt --db_root_path data/dev_databases --diff_json_path data/dev.json --output_log_path H", "--predicted_sql_path pred.txt --ground_truth_path H --db_root_path H --diff_json_path H", "--predicted_sql_path pred.json --ground_truth_path gold.txt --db_root_path data/dev_databases --diff_json_path pred.txt", "--sql_dialect H", "--score H --predicted_sql_path a --ground_truth_path b --db_root_path c --diff_json_path d"},
	"assay import":                 {"--dataset bird --data data --pred pred.txt --name imp", "--dataset bird --data data --pred pred.txt --name H"},
	"assay check-gold":             {"--dataset bird --data data", "--dataset bird --data data --json", "--dataset H"},
	"assay suite build":            {"--dataset bird --data data --out H", "--dataset bird --data data --out suites"},
	"assay plan":                   {"x.toml", "x.toml --json", "H"},
	"assay ledger export":          {"out.jsonl", "H.jsonl"},
	"assay ledger import":          {"out.jsonl", "pred.txt", "H"},
	"assay ledger verify":          {""},
	"assay ledger gc":              {""},
	"assay ledger stats":           {"", "--json"},
	"assay ledger adopt":           {"H H"},
	"assay values":                 {"--db data/dev_databases/h/h.sqlite H", "--db H x"},
	"assay explain":                {"--db data/dev_databases/h/h.sqlite SELECT/*H*/1", "--db data/dev_databases/h/h.sqlite H", "--db data/dev_databases/h/h.sqlite SELECT/*H*/name/**/FROM/**/t --raw"},
	"assay export selection-pairs": {"x", "H"},
	"assay stats":                  {"--dataset bird --data data", "--dataset bird --data data --format csv", "--dataset bird --data data --json", "H"},
	"assay recall":                 {"--dataset bird --data data", "--dataset bird --data data --format csv", "--dataset bird --data data --json", "--dataset bird --data data --items -", "H", "--kinds H", "--by H"},
	"assay tool":                   {"SearchColumn --db data/dev_databases/h/h.sqlite H", "H --db data/dev_databases/h/h.sqlite"},
	"assay errors":                 {"x", "x --out -", "x --json", "--rules", "H"},
	"assay open":                   {"H"},
	"assay power":                  {"x x", "H"},
	"assay site":                   {"--out public", "--out public --pairs 5", "--out H", "H", "--out public --pairs H"},
	"assay serve":                  {"H", "--port H", "--port -1"},
	"assay proxy":                  {"H", "x.toml --arm H", "x.toml --port -1", "x.toml --out pred.txt", "--set H=1"},
	"assay tokens":                 {"x.toml", "x", "H"},
	"assay method list":            {"", "--json"},
	"assay method show":            {"m", "H"},
	"assay method copy":            {"standard copied", "H copied2"},
	"assay method check":           {"m", "H"},
	"assay method new":             {"fresh", "H"},
	"assay rm":                     {"H --yes", "x --dry-run", "x --dry-run --json", "x"},
	"assay init":                   {"fresh2 --db data/dev_databases/h/h.sqlite", "H --db data/dev_databases/h/h.sqlite", "fresh3 --db H", "fresh3 --db data/dev_databases/h/h.sqlite --questions hostile.csv"},
	"assay questions check":        {"hostile.csv --db data/dev_databases/h/h.sqlite", "hostile.csv --db data/dev_databases/h/h.sqlite --json", "H", "x.toml", "hostile.csv --db H"},
	"assay completion bash":        {""},
	"assay completion zsh":         {""},
	"assay completion fish":        {""},
	"assay completion powershell":  {""},
	"assay help":                   {"H", "run", "models", "models H"},
	"assay __complete":             {"show x H", "report H"},
	"assay __completeNoDesc":       {"show x H"},
}

// TestNoVerbObeysText runs every verb in a world of hostile texts and looks at all that it prints, for results and for errors.
func TestNoVerbObeysText(t *testing.T) {
	w := newHostileWorld(t)
	t.Chdir(w.dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(w.dir, "cache"))
	t.Setenv("OPENAI_API_KEY", "")
	argument := strings.NewReplacer("\x00", "", "/", "").Replace(hostileBytes)
	escaped, exact := false, false
	verb := func(path, line string) {
		args := append(strings.Fields(path)[1:], strings.Fields(line)...)
		for i := range args {
			args[i] = strings.ReplaceAll(strings.ReplaceAll(args[i], "H", argument), "URL", w.url)
		}
		var out, errs bytes.Buffer
		run(args, &out, &errs)
		for name, b := range map[string]*bytes.Buffer{"output": &out, "errors": &errs} {
			text := strings.ReplaceAll(b.String(), "\r\n", "\n")
			if i := strings.IndexFunc(text, terminal.Hidden); i >= 0 || !utf8.ValidString(text) {
				t.Errorf("%s %s: %s: hidden at %d: %q", path, line, name, i, text[max(0, i-40):min(len(text), max(0, i)+40)])
			}
		}
		escaped = escaped || strings.Contains(out.String(), `\x1b]52;c;`)
		if strings.HasSuffix(line, "--json") {
			exact = exact || holds(out.Bytes(), hostileText)
		}
	}
	known := slices.Sorted(func(yield func(string) bool) {
		for path := range hostileCases {
			if !yield(path) {
				return
			}
		}
	})
	verb("assay run", "x.toml") // what the others read
	verb("assay run", hostileBatch)
	for _, path := range known {
		for _, line := range hostileCases[path] {
			verb(path, line)
		}
	}
	if !escaped || !exact {
		t.Errorf("the text was shown: %v, and by JSON exactly: %v; the world is not as hostile as it should be", escaped, exact)
	}
}

// holds reports whether a JSON document has the text as part of a value.
func holds(document []byte, text string) bool {
	var v any
	if json.Unmarshal(document, &v) != nil {
		return false
	}
	var in func(v any) bool
	in = func(v any) bool {
		switch v := v.(type) {
		case string:
			return strings.Contains(v, text)
		case []any:
			return slices.ContainsFunc(v, in)
		case map[string]any:
			for _, one := range v {
				if in(one) {
					return true
				}
			}
		}
		return false
	}
	return in(v)
}

// TestHostileCasesAreComplete fails for a verb that no hostile case tries.
func TestHostileCasesAreComplete(t *testing.T) {
	root := (&app{out: terminal.New(io.Discard), err: terminal.New(io.Discard)}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Runnable() && !grouping(c) && len(hostileCases[c.CommandPath()]) == 0 {
			t.Errorf("%s has no hostile case", c.CommandPath())
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(root)
}
