package exemplar

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// WriteOptions says what an annotation file holds. The zero value writes everything.
type WriteOptions struct {
	Head   string // comment at the top, lines without "#"
	Hashes bool   // question_sha256 in place of question, SQL and evidence, which stay in their dataset
}

// Write returns the annotation file of demonstrations, from which [Parse] reads the same ones, but for their hardness and
// schema, which no file holds. With Hashes, [Resolve] gives back what was left out.
func Write(demos []Demo, o WriteOptions) []byte {
	var w writer
	if o.Head != "" {
		for _, line := range strings.Split(strings.TrimRight(o.Head, "\n"), "\n") {
			w.WriteString(strings.TrimRight("# "+line, " ") + "\n")
		}
		w.WriteString("\n")
	}
	for i, d := range demos {
		if i > 0 {
			w.WriteString("\n")
		}
		w.demo(d, o.Hashes || d.QuestionSHA256 != "")
	}
	return w.Bytes()
}

// writer writes TOML.
type writer struct{ bytes.Buffer }

func (w *writer) demo(d Demo, hashed bool) {
	w.WriteString("[[demo]]\n")
	w.text("id", d.ID)
	w.text("db", d.DB)
	if hashed {
		sha := d.QuestionSHA256
		if sha == "" {
			sha = QuestionHash(d.Question)
		}
		w.text("question_sha256", sha)
	} else {
		w.text("question", d.Question)
		w.text("sql", d.SQL)
		w.text("evidence", d.Evidence)
	}
	w.text("cot", d.CoT)
	w.text("plan", d.Plan)
	if len(d.Dialogue) > 0 {
		w.text("dialogue", DialogueText(d.Dialogue))
	}
	if d.Naturalness != 0 {
		fmt.Fprintf(w, "naturalness = %s\n", decimal(d.Naturalness))
	}
	if d.Reviewed {
		w.WriteString("reviewed = true\n")
	}
	w.text("note", d.Note)
	if d.Division != nil {
		w.text("simplify", d.Division.Simplify)
	}
	w.by(d.By)
	w.steps(d)
	w.parts(d)
}

// by writes who made the annotations, in one line.
func (w *writer) by(p Provenance) {
	var said []string
	for _, f := range p.fields() {
		if *f.By != "" {
			said = append(said, f.Name+" = "+quote(*f.By))
		}
	}
	if len(said) > 0 {
		w.WriteString("by = { " + strings.Join(said, ", ") + " }\n")
	}
}

// steps writes the steps; the last leaves out what is the demonstration's own.
func (w *writer) steps(d Demo) {
	for i, s := range d.Steps {
		if i == len(d.Steps)-1 {
			s.Question, s.SQL = "", ""
		}
		w.WriteString("\n[[demo.step]]\n")
		w.text("question", s.Question)
		w.WriteString("columns = " + quote(s.Columns) + "\n")
		w.text("sql", s.SQL)
	}
}

// parts writes the parts of the division, the question itself first and without its text.
func (w *writer) parts(d Demo) {
	if d.Division == nil {
		return
	}
	for i, p := range d.Division.Parts {
		if i == 0 {
			p.Question = ""
		}
		w.WriteString("\n[[demo.part]]\n")
		w.text("number", p.Number)
		w.text("question", p.Question)
		w.text("analysis", p.Analysis)
		w.text("pseudo", p.Pseudo)
		w.text("sql", p.SQL)
	}
}

// text writes a key with a text, which is left out where it is empty and has its line breaks where it has several lines.
func (w *writer) text(key, s string) {
	switch {
	case s == "":
	case strings.Contains(s, "\n"):
		w.WriteString(key + " = \"\"\"\n" + lines(s) + "\"\"\"\n")
	default:
		w.WriteString(key + " = " + quote(s) + "\n")
	}
}

// lines is a text as a string of TOML between three quotes: a quote stands for itself, but one that follows another, or ends the
// text, is escaped.
func lines(s string) string {
	body, end := strings.CutSuffix(s, `"`)
	out := strings.Split(body, "\n")
	for i, l := range out {
		q := quote(l)
		out[i] = strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), `""`, `"\"`)
	}
	if end {
		out[len(out)-1] += `\"`
	}
	return strings.Join(out, "\n")
}

// quote is a text as a basic string of TOML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\t':
			b.WriteString("\\t")
		case r == '\n':
			b.WriteString("\\n")
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// decimal prints a number of TOML that is no integer.
func decimal(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
