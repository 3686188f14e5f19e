package configs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/experiments/trial"
	"assay/prompting/methods"
	"assay/prompting/script"
	"assay/prompting/script/jinja"

	"github.com/google/go-cmp/cmp"
)

// section returns the page between a heading and the next one of its level or above.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("no section %q", heading)
	}
	level := strings.Index(heading, " ")
	end := regexp.MustCompile(`(?m)^#{1,` + string(rune('0'+level)) + `} `).FindStringIndex(rest)
	if end == nil {
		return rest
	}
	return rest[:end[0]]
}

// rowName matches the name that a row of a table begins with.
var rowName = regexp.MustCompile("(?m)^\\| `\\.?([a-z_]+(?:\\.[a-z_]+)?)")

// rows lists the names of a section's tables, sorted, each once.
func rows(text string) (out []string) {
	for _, m := range rowName.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestMethodsPageHasEveryName(t *testing.T) {
	b, err := os.ReadFile("METHODS.md")
	if err != nil {
		t.Fatal(err)
	}
	page, n := string(b), script.AllNames()
	check := func(what string, got, want []string) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-exists +on the page):\n%s", what, d)
		}
	}
	check("functions", rows(section(t, page, "## Functions")), n.Functions)
	check("helpers", rows(section(t, page, "## Helpers")), n.Helpers)
	check("names in templates", rows(section(t, page, "## Templates")), n.Templates)
	check("features", rows(section(t, page, "### Features of demonstrations")), n.Features)
	for kind, attributes := range n.Attributes {
		check(kind, rows(section(t, page, "### "+kind)), attributes)
	}
	if kinds := strings.Count(section(t, page, "## Values"), "\n### "); kinds != len(n.Attributes) {
		t.Errorf("%d kinds on the page, and %d exist", kinds, len(n.Attributes))
	}
	for kind, names := range jinja.Offered() {
		if want := "| " + kind + " | `" + strings.Join(names, "` `") + "` |"; !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// block matches a fenced block that names a file of an example's folder.
var block = regexp.MustCompile("(?ms)^```[a-z]+ ([a-z-]+)/([a-z.]+)\n(.*?)^```$")

// TestMethodsPageExamples tries every folder that the page shows.
func TestMethodsPageExamples(t *testing.T) {
	page, err := os.ReadFile("METHODS.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, names := t.TempDir(), []string{}
	for _, m := range block.FindAllStringSubmatch(string(page), -1) {
		to := filepath.Join(dir, m[1])
		if !slices.Contains(names, to) {
			names = append(names, to)
		}
		if err := os.MkdirAll(to, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, m[2]), []byte(m[3]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 4 {
		t.Fatalf("found %d folders", len(names))
	}
	for _, name := range names {
		tryFolder(t, name)
	}
}

// tryFolder checks a folder as assay method check does.
func tryFolder(t *testing.T, dir string) {
	t.Helper()
	f, err := methods.Open(dir)
	if err != nil {
		t.Error(err)
		return
	}
	for _, d := range f.Doubts() {
		t.Errorf("%s: %s", d.Place, d.Text)
	}
	e, err := trial.Experiment(dir, "", "", nil)
	if err != nil {
		t.Error(err)
		return
	}
	if _, err := trial.Run(t.Context(), dir, e); err != nil {
		t.Error(err)
	}
}

// TestWorkedExamples tries every folder beside this file.
func TestWorkedExamples(t *testing.T) {
	dirs, _ := filepath.Glob("methods/*/") // the pattern is well formed
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		tryFolder(t, path)
	}
}
