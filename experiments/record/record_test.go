package record

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/metrics"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// example is a small run with a sweep axis, a missing score and text that CSV must quote.
func example(t *testing.T) *Run {
	t.Helper()
	e, err := configs.Parse("t.toml", []byte(`name = "temperature"
seeds = [3]
[dataset]
kind = "sample"
[[arm]]
name = "x"
method = "standard"
[[arm]]
name = "y"
method = "cot"
[sweep]
temperature = [0.5, 1]
`), known)
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]any{}
	if err := toml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	return &Run{
		Manifest: Manifest{ID: "0123456789", Experiment: "temperature", Dataset: "sample/dev", Items: 1,
			Axes: []string{"temperature"}, Metrics: []Metric{{ID: "ts", Fingerprint: "a", NoSuite: SomeItems}, {ID: "ex", Fingerprint: "b"}},
			Similarity: []Similarity{{Use: "demonstrations", By: "spelling"}}, Warnings: []string{"w"}},
		Config: config, Resolved: e,
		Questions: []Question{{Item: "sample/dev/a-1", DB: "a", Question: "What, \"then\"?\nNow", Gold: "SELECT 1", Features: "none"}},
		Rows: Rows{Items: []Item{
			{Item: "sample/dev/a-1", DB: "a", Arm: "x", Point: []string{"0.5"}, Seed: 3, Status: metrics.Correct, SQL: "SELECT 1",
				Values: []Value{{1, true}, {0.25, true}}, PromptTokens: CountOf(5), CompletionTokens: CountOf(0), Calls: CountOf(1), Cached: CountOf(1)},
			{Item: "sample/dev/a-1", DB: "a", Arm: "y", Point: []string{"1"}, Seed: 3, Status: metrics.ModelError, Values: make([]Value, 2)},
		},
			Candidates: []Candidate{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Seed: 3, Status: metrics.Correct,
				SQL: "SELECT 1,\n'\"'", Digest: "ab", Chosen: 1, Values: []Value{{1, true}, {0.25, true}}, Rule: "fence"}},
			Calls: []Call{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Seed: 3, Stage: "generate", Key: "sha256:0", Finish: "length",
				Observation: "[1]"}},
			Dropped: []Candidate{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Sample: 1, Status: metrics.SQLError, SQL: "SELECT",
				Values: []Value{{0, true}, {0, true}}, Trigger: "error", Tries: 3}},
			Votes:   []Vote{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, A: 1, Order: "reverse", Winner: -1, DecidedBy: "model", Key: "k"}},
			Results: []Result{{Item: "sample/dev/a-1", Digest: "ab", Rows: 12, Preview: `[["a"],["1"]]`}},
			Links: []Link{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Seed: 3, Stage: "values",
				Values: Listing([][]string{{"t", "c", "O'Neil, \"B\""}})}},
			Shown: []Shown{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Seed: 3, IDs: Listing([][]string{{"d 1", "d,2"}})}},
			Steps: []Step{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Seed: 3, Generator: "g", Step: 1, Label: "1.1", Question: "What, then?",
				Columns: "t (c)", SQL: "SELECT 1,\n'\"'", Status: "ran", Rows: CountOf(1), Listed: 1, Named: CountOf(2), Hit: CountOf(1), Seen: CountOf(2),
				SeenHit: CountOf(1), Gold: CountOf(0), Outside: Listing([][]string{{"t", "d, e"}}), Error: "outside"}},
			Components: []Component{{Item: "sample/dev/a-1", Arm: "x", Point: []string{"0.5"}, Seed: 3, Parsed: 1, Predicted: "1000000001", Gold: "1100000001", Right: "1000000000"}},
			Columns:    []Column{{DB: "a", Table: "t", Column: "c"}, {DB: "a", Table: "t", Column: "d, e"}},
			Vectors: []Vector{{Arm: "x", Point: []string{"0.5"}, Key: "sha256:1", PromptTokens: CountOf(3)},
				{Arm: "x", Point: []string{"0.5"}, Key: "sha256:2", PromptTokens: CountOf(0), Failure: "http 400, \"too long\""}},
		},
	}
}

func TestWriteThenReadIsTheSameRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	want := example(t)
	if err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir, known)
	if err != nil {
		t.Fatal(err)
	}
	want.Dir = dir
	if d := cmp.Diff(want, got, cmpopts.IgnoreTypes(configs.Known{})); d != "" { // functions are not comparable
		t.Error(d)
	}
}

// A text that a spreadsheet would compute is no formula in any file, and comes back as it was, line ends included.
func TestFormulasComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	want := example(t)
	const text = "+cmd|' /C calc'!A0\r\n\rx"
	want.Questions[0].Question, want.Questions[0].Evidence, want.Questions[0].Gold = text, "\t=1", "'=1"
	want.Items[0].SQL, want.Candidates[0].SQL, want.Candidates[0].Why = "-- one\nSELECT 1", "@x", "=1"
	want.Dropped[0].SQL, want.Calls[0].Finish, want.Calls[0].Observation = "-1", text, text
	want.Steps[0].SQL, want.Steps[0].Question, want.Steps[0].Why = "@x", "=1", "=2"
	want.Results[0].Preview, want.Columns[0].Table = text, "=t"
	if err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir, known)
	if err != nil {
		t.Fatal(err)
	}
	want.Dir = dir
	if d := cmp.Diff(want, got, cmpopts.IgnoreTypes(configs.Known{})); d != "" {
		t.Error(d)
	}
	for _, name := range []string{QuestionsFile, ItemsFile, CandidatesFile, DroppedFile, CallsFile, ResultsFile, StepsFile, ColumnsFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range slices.Concat(rows...) {
			if cell != "" && cell != "-1" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("%s: a formula: %q", name, cell)
			}
		}
	}
}

func TestColumnsAreThoseOthersRelyOn(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, example(t)); err != nil {
		t.Fatal(err)
	}
	header := func(name, want string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(string(b), "\n"); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
	header(ItemsFile, "item,db,arm,temperature,seed,hardness,difficulty,status,sql,ts,ex,prompt_tokens,completion_tokens,calls,cached,choice,usd")
	header(CandidatesFile, "item,arm,temperature,seed,sample,generator,status,sql,digest,chosen,ts,ex,rule,why,trigger,tries,fixed,original,original_status")
	header(DroppedFile, "item,arm,temperature,seed,sample,generator,status,sql,digest,chosen,ts,ex,rule,why,trigger,tries,fixed,original,original_status")
	header(VotesFile, "item,arm,temperature,seed,a,b,order,winner,decided_by,key")
	header(ResultsFile, "item,digest,rows,preview")
	header(QuestionsFile, "item,db,question,evidence,gold,hardness,difficulty,features,gold_digest,given_gold,override,literals")
	header(CallsFile, "item,arm,temperature,seed,sample,stage,key,prompt_tokens,completion_tokens,note,failure,observation,finish,cached_tokens,reasoning_tokens,cache_write_tokens,tier,usd")
	header(LinksFile, "item,arm,temperature,seed,stage,values,chosen,shown")
	header(ColumnsFile, "db,table,column")
	header(StepsFile, "item,arm,temperature,seed,sample,generator,step,label,question,columns,sql,final,status,rows,listed,named,hit,named_so_far,hit_so_far,gold_columns,outside,missing,unknown,error,why,rule_made,rule_made_step,rule_made_steps")
	header(ComponentsFile, "item,arm,temperature,seed,parsed,predicted,gold,right")
}

func TestColumnsOfOthersAreIgnored(t *testing.T) {
	dir := t.TempDir()
	r := example(t)
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, QuestionsFile)
	text := "note,item,db,question,evidence,gold,hardness,difficulty\nmine,i,d,q,,g,,\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir, known)
	if err != nil || got.Questions[0] != (Question{Item: "i", DB: "d", Question: "q", Gold: "g"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOlderRunsAreRead: a run from before the columns features and finish has none, and may lack whole files.
func TestOlderRunsAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, example(t)); err != nil {
		t.Fatal(err)
	}
	text := "item,db,question,evidence,gold,hardness,difficulty\ni,d,q,e,g,easy,simple\n"
	if err := os.WriteFile(filepath.Join(dir, QuestionsFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range newer {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	text = "item,arm,temperature,seed,sample,stage,key,prompt_tokens,completion_tokens\ni,x,0.5,0,0,generate,k,3,4\n"
	if err := os.WriteFile(filepath.Join(dir, CallsFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir, known)
	if err == nil && (len(got.Calls) != 1 || got.Calls[0].Finish != "" || got.Calls[0].CompletionTokens != CountOf(4)) {
		t.Errorf("%+v", got.Calls)
	}
	want := Question{Item: "i", DB: "d", Question: "q", Evidence: "e", Gold: "g", Hardness: "easy", Difficulty: "simple"}
	if err != nil || got.Questions[0] != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOlderVotesAreRead: the column was called by, and two of its values had other names.
func TestOlderVotesAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, example(t)); err != nil {
		t.Fatal(err)
	}
	check := func(header string, cells, want []string) {
		t.Helper()
		text := "item,arm,temperature,seed,a,b,order,winner," + header + ",key\n"
		for _, cell := range cells {
			text += "i,x,0.5,0,0,1,forward,0," + cell + ",k\n"
		}
		if err := os.WriteFile(filepath.Join(dir, VotesFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Read(dir, known)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range r.Votes {
			if v.Key != "k" || v.B != 1 {
				t.Errorf("%+v", v)
			}
			got = append(got, v.DecidedBy)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", header, d)
		}
	}
	check("by", []string{"execution", "asked", "remembered"}, []string{"execution", "model", "reused"})
	check("decided_by", []string{"execution", "model", "reused"}, []string{"execution", "model", "reused"})
}

func TestDamageIsNamed(t *testing.T) {
	check := func(file, content string, want ...string) {
		t.Helper()
		dir := t.TempDir()
		if err := Write(dir, example(t)); err != nil {
			t.Fatal(err)
		}
		if content == "" {
			os.Remove(filepath.Join(dir, file))
		} else if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(dir, known)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v, want one with %q", file, err, w)
			}
		}
	}
	check(ManifestFile, "", "no run folder", ManifestFile)
	check(ManifestFile, "[identity", ManifestFile)
	check(ItemsFile, "", ItemsFile, "run the experiment again")
	check(ItemsFile, "item,arm\na,b\n", ItemsFile, `no column "temperature"`)
	check(ItemsFile, "item,arm,temperature,ts,ex\na,b,0,yes,1\n", ItemsFile, `"yes" is not a number`, "row 1")
	check(CandidatesFile, "item,arm,temperature,ts,ex\na,b\n", CandidatesFile, "line 2")
	check(CallsFile, "item,arm,temperature,prompt_tokens\na,b,0,many\n", CallsFile, "many")
	check(CallsFile, "item,arm,temperature,usd\na,b,0,dear\n", CallsFile, "dear")
}

// TestWhatNobodyCountedIsEmpty: unknown is no zero in any form, and comes back as unknown.
func TestWhatNobodyCountedIsEmpty(t *testing.T) {
	check := func(c Count, cell, text, encoded string) {
		t.Helper()
		got, err := c.MarshalCSV()
		b, jerr := json.Marshal(c)
		if got != cell || c.String() != text || string(b) != encoded || err != nil || jerr != nil {
			t.Errorf("%+v: %q %q %s %v %v", c, got, c, b, err, jerr)
		}
		var fromCSV, fromJSON Count
		if err := errors.Join(fromCSV.UnmarshalCSV(cell), json.Unmarshal(b, &fromJSON)); err != nil || fromCSV != c || fromJSON != c {
			t.Errorf("%+v came back as %+v and %+v: %v", c, fromCSV, fromJSON, err)
		}
	}
	check(Count{}, "", "unknown", "null")
	check(CountOf(0), "0", "0", "0")
	check(CountOf(12), "12", "12", "12")
	if got := CountOf(1).Plus(CountOf(2)); got != CountOf(3) || CountOf(1).Plus(Count{}).OK || (Count{}).Plus(CountOf(1)).OK {
		t.Errorf("sums: %v", got)
	}
	var v Value
	if b, err := json.Marshal([]Value{{}, {0.5, true}}); string(b) != "[null,0.5]" || err != nil {
		t.Errorf("%s %v", b, err)
	}
	if err := errors.Join(json.Unmarshal([]byte("0.5"), &v)); err != nil || v != (Value{0.5, true}) {
		t.Errorf("%+v %v", v, err)
	}
}

// TestOldImportsCountedNothing: a run stored by an older import has 0 where nothing was counted.
func TestOldImportsCountedNothing(t *testing.T) {
	check := func(method, calls string, want Count) {
		t.Helper()
		r := example(t)
		r.Resolved.Arms[0].Method = method
		arms := r.Config["arm"].([]map[string]any)
		arms[0]["method"] = method
		dir := t.TempDir()
		if err := Write(dir, r); err != nil {
			t.Fatal(err)
		}
		text := "item,db,arm,temperature,seed,hardness,difficulty,status,sql,ts,ex,prompt_tokens,completion_tokens,calls,cached\n" +
			"sample/dev/a-1,a," + r.Resolved.Arms[0].Name + ",0.5,3,,,correct,SELECT 1,1,1,0,0," + calls + ",0\n"
		if err := os.WriteFile(filepath.Join(dir, ItemsFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Read(dir, known)
		if err != nil || len(got.Items) != 1 || got.Items[0].PromptTokens != want {
			t.Errorf("%s, %s calls: %+v %v", method, calls, got, err)
		}
	}
	check(configs.Imported, "0", Count{})
	check(configs.Imported, "1", CountOf(0))
	check("standard", "0", CountOf(0))
}

func TestRowsWrittenOneByOneAreTheSameFiles(t *testing.T) {
	want, got := t.TempDir(), t.TempDir()
	r := example(t)
	if err := Write(want, r); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(got, "."+ItemsFile+".part123") // of a process that was killed
	if err := os.WriteFile(left, []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := Create(got, r.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Items {
		if err := w.Add(Rows{Items: r.Items[i : i+1]}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(got, ItemsFile)); err == nil {
		t.Error("there is a file before Commit")
	}
	if err := w.Add(Rows{Candidates: r.Candidates, Dropped: r.Dropped, Votes: r.Votes, Results: r.Results, Calls: r.Calls,
		Links: r.Links, Shown: r.Shown, Columns: r.Columns}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(r.Manifest, r.Config, r.Questions); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(got)
	if err != nil || len(files) != 11 {
		t.Errorf("%d files, want 11: %v, %v", len(files), files, err)
	}
	for _, f := range files {
		a, _ := os.ReadFile(filepath.Join(want, f.Name()))
		b, _ := os.ReadFile(filepath.Join(got, f.Name()))
		if len(a) == 0 || string(a) != string(b) {
			t.Errorf("%s differs", f.Name())
		}
	}
}
