package paper

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placeholder is a name in braces, within a text of a description.
var placeholder = regexp.MustCompile(`\{([a-z -]+)\}`)

// fill puts in the place of each name what it stands for; a note that is nothing but a name may become several, and none
// where nothing stands for it.
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

// said is what a name stands for: a doubt of the paper's, or what the run says.
func (s *sheet) said(name string) []string {
	if d := s.paper.Doubts[name]; d != "" {
		return []string{d}
	}
	v := s.v
	switch name {
	case "published":
		return s.published()
	case "prices":
		return s.prices
	case "judged":
		return s.judged
	}
	return []string{map[string]func() string{
		"cite":      func() string { return s.paper.Cite },
		"split":     s.split,
		"whole":     func() string { return fmt.Sprint(releases[s.filled(s.Dataset)].items) },
		"ts":        func() string { return v.display("ts") },
		"metric":    func() string { return v.display(v.ids[0]) },
		"base":      func() string { return s.Base },
		"spread":    v.spread,
		"levels":    v.levelNote,
		"items":     v.itemsNote,
		"intervals": v.intervalNote,
		"share":     v.shareNote,
		"left out":  func() string { return unpooled(v, s.pools()) },
		"suite":     v.suiteNote,
		"gain":      func() string { return gainNote },
		"rules":     v.rules,
		"solved":    func() string { return v.solvedNote(v.solves()) },
		"doubted":   v.doubtNote,
		"shown":     v.shownNote,
		"unread":    func() string { return unreadNote(s.unread) },
		"parts":     s.parts.note,
		"means":     func() string { return meanNote },
		"axis":      func() string { return s.axis().Shows },
		"groups":    s.groupsNote,
	}[name]()}
}

// insideNote says what stands beside a published number.
const insideNote = "In interval: whether the published number lies within the 95 % interval of this run's. Difference: this run's less the published."

// published says whose the published numbers are, and why no difference from them is shown where none is.
func (s *sheet) published() []string {
	if s.Frame == "list" && s.Compare != "columns" {
		return s.listNotes()
	}
	says := s.filled(s.Says)
	if s.unlike != "" {
		says += " " + cannot(s.unlike)
	}
	if s.repeats() && !s.stated() {
		says += " No arm of this run states which row it repeats, so that none stands beside: published in [[arm]], one of " + s.rowNames() + "."
	}
	if s.unlike == "" && s.Metric != "" {
		return []string{insideNote, says}
	}
	return []string{says}
}

// repeats reports whether the description's rows are those that arms state.
func (s *sheet) repeats() bool { return s.Frame == "arms" && s.By == "" }

func (s *sheet) rowNames() string {
	var names []string
	for _, r := range s.printed.Rows {
		names = append(names, r["method"])
	}
	return strings.Join(names, ", ")
}

// rules are the rules by which arms choose among candidates.
func (v *view) rules() string {
	var rules []string
	for _, r := range v.rows {
		rules = append(rules, r.arm.Selection.Rule)
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
	return fmt.Sprintf("Gold in doubt: answers that are not right where a person corrected the gold or took the item out (dataset.overrides), %d items here; the paper's authors looked at each.", n)
}
