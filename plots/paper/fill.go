package paper

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// placeholder is a name in braces, within a text of a description.
var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// fill replaces the placeholders of notes. A note that is one placeholder alone may become several notes, or none.
func (s *sheet) fill(notes []string) (out []string) {
	for _, n := range notes {
		if m := placeholder.FindStringSubmatch(n); m != nil && m[0] == n {
			out = append(out, s.said(m[1])...)
			continue
		}
		out = append(out, s.filled(n))
	}
	return slices.DeleteFunc(out, func(n string) bool { return n == "" })
}

func (s *sheet) filled(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string { return strings.Join(s.said(strings.Trim(p, "{}")), " ") })
}

// said returns the texts of a placeholder: a contradiction within the paper, or what the run says. Descriptions with other
// placeholders cannot be read, so that the lookup never fails.
func (s *sheet) said(name string) []string {
	if d := s.paper.Doubts[name]; d != "" {
		return []string{d}
	}
	return placeholders()[name](s)
}

// placeholders returns the names that notes, headings, datasets and says may hold, with the text of each. It is a function, and
// no variable, because some of the texts are filled themselves.
func placeholders() map[string]func(*sheet) []string {
	text := func(of func(*sheet) string) func(*sheet) []string {
		return func(s *sheet) []string { return []string{of(s)} }
	}
	ofRun := func(of func(*view) string) func(*sheet) []string {
		return func(s *sheet) []string { return []string{of(s.v)} }
	}
	return map[string]func(*sheet) []string{
		"published": (*sheet).published,
		"prices":    func(s *sheet) []string { return s.prices },
		"judged":    func(s *sheet) []string { return s.judged },
		"cite":      text(func(s *sheet) string { return s.paper.Cite }),
		"split":     text((*sheet).split),
		"whole":     text(func(s *sheet) string { return fmt.Sprint(releases[s.filled(s.Dataset)].items) }),
		"ts":        ofRun(func(v *view) string { return v.display("ts") }),
		"metric":    ofRun(func(v *view) string { return v.display(v.ids[0]) }),
		"base":      text(func(s *sheet) string { return s.Base }),
		"spread":    ofRun((*view).spread),
		"levels":    ofRun((*view).levelNote),
		"items":     ofRun((*view).itemsNote),
		"intervals": ofRun((*view).intervalNote),
		"share":     ofRun((*view).shareNote),
		"left out":  text(func(s *sheet) string { return unpooled(s.v, s.v.pools()) }),
		"suite":     (*sheet).suiteNotes,
		"gain":      text(func(*sheet) string { return gainNote }),
		"rules":     ofRun((*view).rules),
		"solved":    ofRun(func(v *view) string { return v.solvedNote(v.solves()) }),
		"doubted":   ofRun((*view).doubtNote),
		"shown":     ofRun((*view).shownNote),
		"unread":    text(func(s *sheet) string { return unreadNote(s.unread) }),
		"parts":     text(func(s *sheet) string { return s.parts.note() }),
		"means":     text(func(*sheet) string { return meanNote }),
		"axis":      text(func(s *sheet) string { return s.axis().Shows }),
		"groups":    text((*sheet).groupsNote),
	}
}

// inNames, inColumns and inHeads are the placeholders of a field's name, of its column of the file, and of a group's head. The
// frames fill them, per column and arm.
var (
	inNames   = []string{"metric"}
	inColumns = []string{"split", "each", "stated"}
	inHeads   = []string{"arm", "label", "temperature"}
)

// checkPlaceholders fails at the first placeholder of the description that has no text.
func (d *description) checkPlaceholders() error {
	texts := slices.Concat(d.Notes, d.Caveats, []string{d.Title, d.Heading, d.Bare, d.Dataset, d.Says})
	known := append(slices.Collect(maps.Keys(placeholders())), slices.Collect(maps.Keys(d.paper.Doubts))...)
	err := checkNames(texts, known)
	for _, g := range d.Groups {
		err = cmp.Or(err, checkNames([]string{g.Name}, inHeads))
		for _, f := range g.Columns {
			err = cmp.Or(err, checkNames([]string{f.Name}, inNames), checkNames([]string{f.Column}, inColumns))
		}
	}
	return err
}

func checkNames(texts, known []string) error {
	for _, t := range texts {
		for _, m := range placeholder.FindAllStringSubmatch(t, -1) {
			if !slices.Contains(known, m[1]) {
				return fmt.Errorf("%q: unknown placeholder %s", t, m[0])
			}
		}
	}
	return nil
}

// insideNote explains the columns that follow a published number.
const insideNote = "In interval: whether the published number lies within the 95 % interval of this run's. Difference: this run's less the published."

// published names the origin of the published numbers, and says why no difference from them is shown where none is.
func (s *sheet) published() []string {
	switch {
	case s.Frame == statisticsFrame && !s.beside():
		return []string{s.elsewhereNote("")}
	case s.Frame == "list" && s.Compare != "columns":
		return s.listNotes()
	case !s.beside():
		return []string{s.elsewhereNote(s.unlike) + s.unstated()}
	case s.Metric != "" && s.Drawing == "":
		return []string{insideNote, s.filled(s.Says) + s.unstated()}
	}
	return []string{s.filled(s.Says) + s.unstated()}
}

// suiteNotes says whether published TS is the metric that this run has, where it stands beside.
func (s *sheet) suiteNotes() []string {
	if !s.beside() {
		return nil
	}
	return []string{s.v.suiteNote()}
}

// repeats reports whether arms state which of the description's rows they repeat.
func (s *sheet) repeats() bool { return s.Frame == "arms" && s.By == "" }

// unstated says why published rows are missing beside arms: what an arm states is no row of this table, or none states
// any. It is empty where neither is so, and in tables whose rows are no arms.
func (s *sheet) unstated() string {
	if !s.repeats() {
		return ""
	}
	var unknown []string
	stated := false
	for _, r := range s.v.rows {
		name := r.Config.Published
		stated = stated || name != ""
		if name != "" && s.printed.Find("method", name) == nil {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	switch {
	case len(unknown) > 0:
		return " No row of this table is called " + strings.Join(unique(unknown), " or ") + ", as published in [[arm]] has it; its rows are " + s.rowNames() + "."
	case !stated:
		return " No arm of this run states which row it repeats, so that none stands beside: published in [[arm]], one of " + s.rowNames() + "."
	}
	return ""
}

func (s *sheet) rowNames() string {
	var names []string
	for _, r := range s.printed.Rows {
		names = append(names, r["method"])
	}
	return strings.Join(names, ", ")
}

// rules joins the rules by which arms choose among candidates.
func (v *view) rules() string {
	var rules []string
	for _, r := range v.rows {
		rules = append(rules, r.Config.Rule())
	}
	return strings.Join(unique(rules), ", ")
}

func (v *view) doubtNote() string {
	n := 0
	for _, q := range v.run.Questions {
		if q.Override != "" {
			n++
		}
	}
	return fmt.Sprintf("Gold in doubt: wrong answers to items of which a person corrected the gold query, or which a person took out (dataset.overrides), %d items here; the paper's authors looked at each.", n)
}
