// Package site makes a folder of static pages over the runs of a store: a list of all runs, and for each run its page, its
// methods' sources and prompts, its comparisons with others, and an index for searching.
//
// A [Site] is a list of runs, with the functions by which their larger pages are made. [Site.Pages] plans the files, each with
// the key of all that it is made from; [Build] makes those whose key has changed, in a folder, and removes those that are of
// no run any more. What serves a site makes one page at a time.
//
// Every link is relative, and no page fetches anything: the search index of a run is a script, which a page that was opened
// from disk may load too. All texts are escaped, since models, people and folders' names wrote them. The package must never
// replace or remove a file that it did not write itself.
package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/experiments/record"
	"assay/plots/page"
	"assay/plots/style"
	"assay/plots/table"
)

// Site is what the pages show.
type Site struct {
	Runs  []Run  // the latest first; names are distinct
	Store string // the store's folder as it was named, for the commands that pages tell to type
	Pairs int    // bound on pages that compare two runs
	Live  bool   // the pages are served while runs go on: they ask for news, and offer to stop a run and to go on
	From  From
}

// From makes the larger parts of a site. Each function may be called from several goroutines.
type From struct {
	Report  func(ctx context.Context, r Run, links []style.Link, w io.Writer) error    // the run's own page
	Diff    func(ctx context.Context, a, b Run, links []style.Link, w io.Writer) error // the page that compares b with a
	Sources func(ctx context.Context, r Run) (Sources, error)
	Read    func(r Run) (*record.Run, error) // its questions and items
}

// Run is one run of the list.
type Run struct {
	Name       string // of its folder in the store
	Dir        string
	Experiment string
	ID         string
	Dataset    string
	Items      int
	State      string // complete, incomplete or damaged
	Damaged    string // why it cannot be read; empty where it can
	Written    time.Time
	Models     []string
	Arms       []string
	Metric     string            // the headline metric, as tables head it: "EX (BIRD)"
	Prints     map[string]string // the fingerprints of all metrics, by id
	Scores     []Score           // under the headline metric, one per arm and sweep point
	Paid       string            // what its calls cost, over all its starts; empty where it made none
	USD        float64           // of Paid, by which the list is sorted
	Differs    []Setting         // from the other runs of its experiment
	Key        string            // of its files: two equal keys are one state of the run
}

// Score is the score of an arm at a sweep point, from 0 to 1.
type Score struct {
	Arm       string // with its sweep point
	Mean      float64
	Low, High float64 // its interval; both 0 where there is none
	Scored    int     // answers with a score
}

// Setting is a key and its value.
type Setting struct{ Key, Value string }

// Sources is what a run keeps of its methods.
type Sources struct {
	Files   []File
	Prompts []Prompt
	Notes   []string // what is missing and why
}

// File is a source that some arms of a run use.
type File struct {
	Name string
	Uses []string // "arm: role", in the order of the arms
	Text string
}

// Prompt is what one arm sent for an item at one stage.
type Prompt struct {
	Arm, Item, Stage string
	Messages         []page.Message
}

// Page is one file of a site.
type Page struct {
	Path string // below the site's folder, with slashes
	Key  string // of all that it is made from; empty: it is cheap, and made every time
	Make func(ctx context.Context, w io.Writer) error
}

// plain are the names of folders and files that need no change in a path or an address. None has two hyphens in a row or one at
// its end, since two stand between the names of a pair.
var plain = regexp.MustCompile(`^[A-Za-z0-9](-?[A-Za-z0-9_])*$`)

// longest bounds the names that stay as they are, in bytes: a pair of them is the name of a file.
const longest = 100

// Folder returns the run's name in paths of the site: the same where it is plain, and elsewhere a spelling of it with a hash.
func (r Run) Folder() string {
	if len(r.Name) <= longest && plain.MatchString(r.Name) {
		return r.Name
	}
	slug := table.Slug(r.Name, "-")
	return strings.Trim("run-"+slug[:min(len(slug), 60)], "-") + "-" + hash(r.Name)[:12]
}

// hash returns the digest of texts, each told from its neighbours.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The files of a run's folder in the site.
const (
	indexFile   = "index.html"
	reportFile  = "report.html"
	sourcesFile = "sources.html"
	searchFile  = "search.js"
)

// Pages plans the files of the site. The parts that several pages share come first, then the runs in their order, each with
// the comparisons that have it as their baseline, and the list of runs last.
func (s *Site) Pages() []Page {
	pairs, _ := s.pairs()
	out := assets(s.Live)
	for _, r := range s.Runs {
		out = append(out, s.ofRun(r, pairs)...)
	}
	for _, p := range pairs {
		out = append(out, Page{p.path(), hash("diff", p.a.Key, p.b.Key), func(ctx context.Context, w io.Writer) error {
			return s.From.Diff(ctx, p.a, p.b, []style.Link{{Text: "All runs", Address: "../index.html"},
				{Text: p.a.Name, Address: "../runs/" + p.a.Folder() + "/index.html"}, {Text: p.b.Name, Address: "../runs/" + p.b.Folder() + "/index.html"}}, w)
		}})
	}
	return append(out, Page{indexFile, "", func(_ context.Context, w io.Writer) error { return s.index(w) }})
}

// ofRun plans the files of one run.
func (s *Site) ofRun(r Run, pairs []pair) []Page {
	dir := "runs/" + r.Folder() + "/"
	head := Page{dir + indexFile, "", func(_ context.Context, w io.Writer) error { return s.hub(w, r, pairs) }}
	if r.Damaged != "" {
		return []Page{head}
	}
	return []Page{head,
		{dir + reportFile, hash("report", r.Key), func(ctx context.Context, w io.Writer) error {
			return s.From.Report(ctx, r, []style.Link{{Text: "All runs", Address: "../../index.html"}, {Text: r.Name, Address: "index.html"}}, w)
		}},
		{dir + sourcesFile, hash("sources", r.Key), func(ctx context.Context, w io.Writer) error { return s.sources(ctx, w, r) }},
		{dir + searchFile, hash("search", r.Key), func(_ context.Context, w io.Writer) error { return s.search(w, r) }},
	}
}

// pair is two runs to compare; a is the baseline, the one that was written first.
type pair struct{ a, b Run }

func (p pair) path() string { return "diffs/" + p.name() + ".html" }
func (p pair) name() string { return p.a.Folder() + "--" + p.b.Folder() }

// pairs returns the pairs that have a page, and how many more could have one. Runs of one experiment come first, and then
// the latest.
func (s *Site) pairs() (out []pair, more int) {
	var same, others []pair
	for i, b := range s.Runs {
		for _, a := range s.Runs[i+1:] {
			switch {
			case !alike(a, b):
			case a.Experiment == b.Experiment:
				same = append(same, pair{a, b})
			default:
				others = append(others, pair{a, b})
			}
		}
	}
	out = append(same, others...)
	n := min(len(out), max(s.Pairs, 0))
	return out[:n], len(out) - n
}

// alike reports whether two runs are of one dataset, judged by one metric, and have arms to pair.
func alike(a, b Run) bool {
	if a.Damaged+b.Damaged != "" || a.Dataset != b.Dataset || len(a.Scores) == 0 || len(b.Scores) == 0 {
		return false
	}
	metric, arm := false, len(a.Arms) == 1 && len(b.Arms) == 1
	for id, print := range a.Prints {
		metric = metric || b.Prints[id] == print
	}
	for _, name := range a.Arms {
		arm = arm || slices.Contains(b.Arms, name)
	}
	return metric && arm
}
