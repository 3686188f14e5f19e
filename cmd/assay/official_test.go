package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// layouts is the folder of what the unmodified evaluators printed.
const layouts = "../../../shared/data/official_layout"

// TestOfficialLayout holds what is printed against what the official evaluators print, byte for byte.
func TestOfficialLayout(t *testing.T) {
	if _, err := os.Stat(layouts); err != nil {
		t.Skipf("the official tables are not here: %v", err)
	}
	t.Chdir(layouts)
	log := t.TempDir() + "/log"
	check := func(expected, line string) {
		t.Helper()
		want, err := os.ReadFile(expected)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(strings.Fields(line), &out, io.Discard); code != exitDone || out.String() != string(want) {
			t.Errorf("%s: exit %d, and other bytes:\n%s", expected, code, out.String())
		}
	}
	const sparc, single, exact = "eval-spider --db database --gold gold.txt ", "eval-spider --db database --gold single/gold.txt ", " --table tables.json --etype "
	check("expected_all.txt", sparc+"--pred pred.txt"+exact+"all")
	check("expected_match.txt", sparc+"--pred pred.txt"+exact+"match")
	check("expected_exec.txt", sparc+"--pred pred.txt")
	check("variants/expected_exec_plug_value.txt", sparc+"--pred pred.txt --plug_value")
	check("variants/expected_exec_keep_distinct.txt", sparc+"--pred pred.txt --keep_distinct")
	check("variants/expected_exec_three_flags.txt", sparc+"--pred pred.txt --keep_distinct --plug_value --progress_bar_for_each_datapoint")
	check("variants/expected_blank_last_all.txt", sparc+"--pred variants/pred_blank_last.txt"+exact+"all")
	check("single/expected_all.txt", single+"--pred single/pred.txt"+exact+"all")
	check("single/expected_match.txt", single+"--pred single/pred.txt"+exact+"match")
	check("single/expected_exec.txt", single+"--pred single/pred.txt")
	check("variants/expected_single_short_exec.txt", single+"--pred variants/single_pred_short.txt")
	check("variants/expected_single_long_exec.txt", single+"--pred variants/single_pred_long.txt")
	check("many/expected_all.txt", "eval-spider --db database --gold many/gold.txt --pred many/pred.txt"+exact+"all")
	const bird = "eval-bird --predicted_sql_path bird/pred.json --ground_truth_path bird/gold.sql --db_root_path database/ --diff_json_path bird/diff.jsonl"
	check("bird/expected_ex.txt", bird+" --output_log_path "+log)
	same(t, log, "bird/expected_ex_log.txt")
	check("bird/expected_f1.txt", bird+" --score f1 --output_log_path "+log)
	same(t, log, "bird/expected_f1_log.txt")
}

// same fails where two files differ.
func same(t *testing.T, got, want string) {
	t.Helper()
	a, err := os.ReadFile(got)
	b, err2 := os.ReadFile(want)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%s is not %s: %v %v\n%s", got, want, err, err2, a)
	}
}
