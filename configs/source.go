package configs

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// source is the text of an experiment file.
type source struct {
	name    string // as errors print it
	dir     string // absolute; what relative paths are relative to
	text    string
	ran     bool           // the experiment of a stored run: checks added since do not apply
	again   bool           // the experiment of a stored run, to be run again
	imports bool           // the experiment of imported predictions
	lines   map[string]int // positions, computed for the first problem
}

// stored reports whether the text is the experiment of a stored run, whose arms state what they inherited.
func (s *source) stored() bool { return s.ran || s.again }

// origin says where a value was stated: in the file, or by a flag.
type origin struct {
	flag string // "--set model.name=x"; empty: the file
	id   string // "model.name", "arm#0.model.name"
}

// problem is one thing wrong with an experiment.
type problem struct {
	at   origin
	text string
}

// Error lists all problems found in one experiment.
type Error struct {
	Name     string   // the experiment as the caller named it
	Problems []string // one line each, in the file's order, beginning with file:line or the setting
}

// Bounds on what an error prints, in bytes: a file may hold thousands of problems, and texts of any length.
const (
	mostProblem  = 600
	mostProblems = 2000
)

// Error prints a single problem on the same line, several problems on one line each. It is bounded: of long problems the
// beginning, of many the first ones with the number of the others.
func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return fmt.Sprintf("configs: load %q: %s", e.Name, clipped(e.Problems[0], mostProblem))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "configs: load %q: %d problems", e.Name, len(e.Problems))
	for i, p := range e.Problems {
		p = clipped(p, mostProblem)
		if left := len(e.Problems) - i; b.Len()+len(p) > mostProblems && left > 1 {
			fmt.Fprintf(&b, "\n  and %d more", left)
			break
		}
		b.WriteString("\n  " + p)
	}
	return b.String()
}

// clipped shortens a text to about n bytes, at the end of a character.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// failure prints the problems, ordered by line, with those of flags last. The same problem of several sweep points is
// printed once.
func (s *source) failure(asked string, problems []problem) error {
	type placed struct {
		line int
		text string
	}
	out := make([]placed, len(problems))
	for i, p := range problems {
		if p.at.flag != "" {
			said := strings.TrimPrefix(p.text, strings.TrimPrefix(p.at.flag, "--")+" ") // --metrics: metrics "nope" is ...
			out[i] = placed{1 << 30, p.at.flag + ": " + said}
			continue
		}
		line := s.line(p.at.id)
		out[i] = placed{line, fmt.Sprintf("%s:%d: %s", s.name, line, p.text)}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].line < out[j].line })
	e := &Error{Name: asked}
	for i, p := range out {
		if i == 0 || p != out[i-1] {
			e.Problems = append(e.Problems, p.text)
		}
	}
	return e
}

// line returns the line of a key, or of the first key in a table that only dotted keys make, or of the nearest table around it;
// 1 where the file has none of them.
func (s *source) line(id string) int {
	if s.lines == nil {
		s.lines = positions(s.text)
	}
	if isList(id) {
		id = listID(id, 0)
	}
	if n := s.within(id); n > 0 {
		return n
	}
	for id != "" {
		if n, ok := s.lines[id]; ok {
			return n
		}
		id = id[:max(strings.LastIndexByte(id, '.'), 0)]
	}
	return 1
}

// within returns the first line of the keys in a table that has no line of its own; 0 where there is no such table.
func (s *source) within(id string) (first int) {
	if _, own := s.lines[id]; own {
		return 0
	}
	for key, n := range s.lines {
		if strings.HasPrefix(key, id+".") && (first == 0 || n < first) {
			first = n
		}
	}
	return first
}

// isList reports whether a name at the top of the file is a list of tables.
func isList(name string) bool { return name == "arm" || name == "table" || name == "metric" }

func listID(name string, i int) string { return name + "#" + strconv.Itoa(i) }

// literal prints a value as TOML.
func literal(v any) (string, error) {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	if err := e.Encode(map[string]any{"v": v}); err != nil {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), "v = "), nil
}
