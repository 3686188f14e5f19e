package site

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"path"
	"slices"
	"strings"

	"assay/metrics/stats"
	"assay/plots/page"
	"assay/plots/style"
	"assay/plots/terminal"
	"assay/plots/versus"
)

//go:embed *.tmpl site.css *.js
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"when": when, "percent": percent}).ParseFS(files, "*.tmpl"))

// when prints the time of a run.
func when(r Run) string {
	if r.Written.IsZero() {
		return "-"
	}
	return r.Written.UTC().Format("2006-01-02 15:04")
}

// percent prints a share with one decimal.
func percent(f float64) string { return stats.Fixed(100*f, 1) }

// text returns an embedded file.
func text(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is in the binary
	}
	return string(b)
}

// assets plans the files that all pages share.
func assets(live bool) []Page {
	fixed := func(name, text string) Page {
		return Page{name, "", func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, text); return err }}
	}
	out := []Page{fixed("site.css", style.CSS()+text("site.css")), fixed("theme.js", style.Theme()), fixed("site.js", text("site.js"))}
	if live {
		out = append(out, fixed("live.js", text("live.js")))
	}
	return out
}

// frame is what every page has around its content.
type frame struct {
	Title string
	Up    string // the way from the page to the site's folder: "" or "../../"
	Live  bool
	Body  any
}

// render writes a page from a template. What is not seen, or turns the text after it round, becomes visible.
func render(w io.Writer, name string, f frame) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, f); err != nil {
		return fmt.Errorf("page %q: %w", f.Title, err)
	}
	_, err := io.WriteString(w, terminal.Visible(b.String()))
	return err
}

// listing is the content of the list of runs.
type listing struct {
	Runs     []row
	Damaged  []Run
	Names    []string // experiments, for the filter; as the next, sorted
	Datasets []string
	Made     int // pages that compare two runs
	More     int // pairs without a page
	Store    string
	Data     any // what the page's script knows
}

// row is one run of the list.
type row struct {
	Run
	Best   Score  // the best arm's
	Score  string // with the metric and, of several arms, the range
	Models string
	Apart  string // what differs from the other runs of the experiment
}

// known is what the scripts of the list know of a run.
type known struct {
	Folder string `json:"folder"`
	Name   string `json:"name"`
	Whole  bool   `json:"whole"` // it has a search index
}

// index writes the list of runs.
func (s *Site) index(w io.Writer) error {
	pairs, more := s.pairs()
	l := listing{Store: s.Store, Made: len(pairs), More: more}
	names, runs := []string{}, []known{}
	for _, p := range pairs {
		names = append(names, p.name())
	}
	for _, r := range s.Runs {
		runs = append(runs, known{r.Folder(), r.Name, r.Damaged == ""})
		l.Runs = append(l.Runs, rowOf(r))
		l.Names, l.Datasets = append(l.Names, r.Experiment), append(l.Datasets, r.Dataset)
		if r.Damaged != "" {
			l.Damaged = append(l.Damaged, r)
		}
	}
	l.Names, l.Datasets = distinct(l.Names), distinct(l.Datasets)
	l.Data = map[string]any{"runs": runs, "pairs": names, "more": more}
	return render(w, "index", frame{Title: "Runs", Live: s.Live, Body: l})
}

// distinct sorts texts and leaves out the empty and the repeated.
func distinct(texts []string) []string {
	slices.Sort(texts)
	return slices.DeleteFunc(slices.Compact(texts), func(t string) bool { return t == "" })
}

// rowOf prints the parts of a run that are lists.
func rowOf(r Run) row {
	out := row{Run: r, Models: strings.Join(r.Models, ", ")}
	var differs []string
	for _, d := range r.Differs {
		differs = append(differs, d.Key+" = "+cmp.Or(d.Value, "-"))
	}
	out.Apart = strings.Join(differs, ", ")
	if len(r.Scores) == 0 {
		return out
	}
	by := func(a, b Score) int { return cmp.Compare(a.Mean, b.Mean) }
	out.Best = slices.MaxFunc(r.Scores, by)
	out.Score = percent(out.Best.Mean)
	if low := percent(slices.MinFunc(r.Scores, by).Mean); low != out.Score {
		out.Score = low + " to " + out.Score
	}
	return out
}

// Between prints the interval of a score; empty where it has none.
func (s Score) Between() string {
	if s.Low == 0 && s.High == 0 {
		return ""
	}
	return "[" + percent(s.Low) + ", " + percent(s.High) + "]"
}

// about is the content of a run's first page.
type about struct {
	row
	Facts  []Setting
	Others []other // runs to compare with
	Shown  int     // of Others, those with a page
	Store  string
	Data   any
}

// other is a run that this one may be compared with.
type other struct {
	Run
	Path, Command string
}

// hub writes a run's first page.
func (s *Site) hub(w io.Writer, r Run, pairs []pair) error {
	a := about{row: rowOf(r), Store: s.Store, Data: map[string]any{"run": r.Folder()}}
	a.Facts = []Setting{{"state", r.State}, {"experiment", r.Experiment}, {"run", r.ID}, {"written (UTC)", when(r)}, {"dataset", r.Dataset},
		{"items", fmt.Sprint(r.Items)}, {"models", a.Models}, {"paid", cmp.Or(r.Paid, "nothing: no call was made for it here")}}
	if a.Apart != "" {
		a.Facts = append(a.Facts, Setting{"differs from other runs of its name in", a.Apart})
	}
	made := map[string]bool{}
	for _, p := range pairs {
		made[p.name()] = true
	}
	at := slices.IndexFunc(s.Runs, func(x Run) bool { return x.Name == r.Name })
	for i, x := range s.Runs {
		p := pair{x, r}
		if i < at {
			p = pair{r, x}
		}
		if i == at || !alike(x, r) {
			continue
		}
		o := other{Run: x, Command: fmt.Sprintf("assay diff %s %s", p.a.Name, p.b.Name)}
		if made[p.name()] {
			o.Path, a.Shown = p.path(), a.Shown+1
		}
		a.Others = append(a.Others, o)
	}
	slices.SortStableFunc(a.Others, func(x, y other) int { return cmp.Compare(unlike(x, r), unlike(y, r)) })
	return render(w, "run", frame{Title: r.Name, Up: "../../", Live: s.Live, Body: a})
}

// unlike orders the runs of the same experiment before others, and those with a page before those without.
func unlike(x other, r Run) (n int) {
	if x.Path == "" {
		n += 2
	}
	if x.Experiment != r.Experiment {
		n++
	}
	return n
}

// mostText bounds a source or a prompt on a page, in bytes.
const mostText = 200_000

// cut shortens a text that is too long for a page, and says so.
func cut(s string) string {
	if len(s) <= mostText {
		return s
	}
	return strings.ToValidUTF8(s[:mostText], "") + fmt.Sprintf("\n... %d bytes more", len(s)-mostText)
}

// origins is the content of the page of sources and prompts.
type origins struct {
	Run     Run
	Files   []File
	Prompts []promptView
	Notes   []string
}

// promptView is a prompt, and what in it differs from that of the first arm at the same stage.
type promptView struct {
	Prompt
	Against string
	Lines   []versus.Line
}

// sources writes the page of a run's sources and prompts.
func (s *Site) sources(ctx context.Context, w io.Writer, r Run) error {
	got, err := s.From.Sources(ctx, r)
	if err != nil {
		return err
	}
	o := origins{Run: r, Files: slices.Clone(got.Files), Notes: got.Notes}
	for i := range o.Files {
		o.Files[i].Text = cut(o.Files[i].Text)
	}
	first := map[string]Prompt{} // by stage and item
	for _, p := range got.Prompts {
		v := promptView{Prompt: p}
		v.Messages = slices.Clone(p.Messages)
		for i := range v.Messages {
			v.Messages[i].Text = cut(v.Messages[i].Text)
		}
		if f, ok := first[p.Stage+"\x00"+p.Item]; ok {
			v.Against, v.Lines = f.Arm, versus.DiffLines(joined(f.Messages), joined(p.Messages))
		} else {
			first[p.Stage+"\x00"+p.Item] = p
		}
		o.Prompts = append(o.Prompts, v)
	}
	return render(w, "sources", frame{Title: "Sources and prompts of " + r.Name, Up: "../../", Live: s.Live, Body: o})
}

// joined returns a prompt as one text.
func joined(messages []page.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, strings.TrimRight(m.Text, "\n"))
	}
	return cut(b.String())
}

// failure is the page in place of one that cannot be made.
func failure(at string, cause error) []byte {
	var b bytes.Buffer
	up := strings.Repeat("../", strings.Count(at, "/"))
	if err := render(&b, "failure", frame{Title: "This page could not be made", Up: up, Body: map[string]string{"Name": path.Base(at), "Cause": cause.Error()}}); err != nil {
		return []byte("this page could not be made")
	}
	return b.Bytes()
}
