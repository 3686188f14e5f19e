package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	pageLink = regexp.MustCompile(`!?\[[^\]]*\]\(([^)\s]+)\)`)
	unslug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	callLine = regexp.MustCompile("(?m)^    (?:[A-Z]+=\\S+ )?assay ([a-z].*)$|`assay ([a-z][^`]*)`")
)

// pages are the Markdown files of the project by their paths from here: what a reader can open, and no test's data.
func pages(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && !strings.HasPrefix(d.Name(), "..") || d.Name() == "testdata" || d.Name() == "runs" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md"):
			names = append(names, path)
		}
		return nil
	})
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages: %v", len(names), err)
	}
	return names
}

// prose is a page without its code, in which brackets are no links and "#" is no heading.
func prose(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	inside := false
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		} else if !inside && !strings.HasPrefix(line, "    ") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// anchors are the names by which a page's headings can be linked to: in lower case, without marks, "-" for a space.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			out[strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return out
}

// TestLinks: each link of each page leads to a file of the project, and to a heading that it has.
func TestLinks(t *testing.T) {
	seen := 0
	for _, name := range pages(t) {
		for _, m := range pageLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose(t, name), "`"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil || !filepath.IsLocal(strings.TrimPrefix(target, filepath.Join("..", "..")+string(filepath.Separator))) {
				t.Errorf("%s: link %q leads to no file of the project: %v", name, m[1], err)
			} else if anchor != "" && !anchors(prose(t, target))[anchor] {
				t.Errorf("%s: link %q: no such heading", name, m[1])
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d links seen, want the pages'", seen)
	}
}

// TestPagesNameWhatIsThere: each command that a page shows is a verb with the flags that it is shown with.
func TestPagesNameWhatIsThere(t *testing.T) {
	root, seen := new(app).root(), 0
	for _, name := range pages(t) {
		if strings.HasSuffix(name, "CHANGELOG.md") { // it speaks of what was, too
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range callLine.FindAllStringSubmatch(string(b), -1) {
			line, _, _ := strings.Cut(m[1]+m[2], " #")
			words := strings.Fields(line)
			if words[0] == "help" && len(words) == 2 && words[1] != "TOPIC" && !slices.ContainsFunc(topics, func(t topic) bool { return t.name == words[1] }) {
				t.Errorf("%s: %q: no such topic", name, line)
			}
			if words[0] == "help" || words[0] == "completion" { // the library's own, which join at the start of a command line
				continue
			}
			c, _, err := root.Find(words)
			if err != nil || c == root {
				t.Errorf("%s: %q: no such verb: %v", name, line, err)
				continue
			}
			seen++
			for _, w := range words {
				flag, _, _ := strings.Cut(strings.TrimRight(w, ",.;:"), "=")
				if id, ok := strings.CutPrefix(flag, "--"); ok && id != "" && id != "help" && c.Flag(id) == nil {
					t.Errorf("%s: %q: no flag %s of %s", name, line, flag, c.CommandPath())
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d commands seen, want the pages'", seen)
	}
}
