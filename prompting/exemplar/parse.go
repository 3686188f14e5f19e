package exemplar

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"assay/configs"
	"assay/configs/input"

	"github.com/BurntSushi/toml"
)

//go:embed annotations/*.toml
var annotations embed.FS

// The annotation files that come with the program.
const (
	OfSample = "sample"
	OfSpider = "spider-train"
)

// Shipments lists the annotation files that come with the program.
var Shipments = configs.Choices{
	{ID: OfSample, Shows: "the demonstrations shipped with the sample dataset"},
	{ID: OfSpider, Shows: "shipped annotations of Spider train questions, whose text is read from the dataset's folder"},
}

// Shipped parses an annotation file that comes with the program, one of [Shipments].
func Shipped(name string) ([]Demo, error) {
	b, err := annotations.ReadFile(path.Join("annotations", name+".toml"))
	if err != nil {
		return nil, fmt.Errorf("exemplar: shipped annotations %q: there are %s", name, strings.Join(Shipments.IDs(), ", "))
	}
	return Parse(name+".toml", b)
}

// Open parses the annotation file at a path.
func Open(file string) ([]Demo, error) {
	b, err := input.Text(file, input.Exemplars)
	if err != nil {
		return nil, fmt.Errorf("exemplar: open %q: %w", file, input.Cause(err))
	}
	return Parse(file, b)
}

// Parse parses an annotation file: [[demo]] tables with id and db, with question and sql or else question_sha256, and
// optionally evidence, cot and [[demo.step]] tables of question, columns and sql. The last step may leave out question
// and sql, which are the demonstration's own; if it states them they must be the same. A demonstration with a division
// has simplify and [[demo.part]] tables of question, analysis, pseudo and sql: the question itself first, which needs
// no number and may leave out its question, then its sub-questions with a number ("1", "1.1"), each after the part that
// contains it. plan is the query plan's numbered steps, dialogue the text of [ParseDialogue]; by says who made the
// annotations (see [Provenance]), naturalness, reviewed and note what is thought of them. Unknown keys, missing or empty fields, equal ids and a cot of several lines are errors. Parse reports
// all of them together, each with the file, the demonstration's line and its id.
func Parse(name string, data []byte) ([]Demo, error) {
	demos, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("exemplar: read %q: %w", name, err)
	}
	return demos, nil
}

// parse is Parse without its error prefix.
func parse(data []byte) ([]Demo, error) {
	if err := input.TOML(string(data)); err != nil {
		return nil, err
	}
	var doc document
	read, err := toml.Decode(string(data), &doc)
	if err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("line %d: %s", pe.Position.Line, pe.Message)
		}
		return nil, err
	}
	if len(doc.Demo) == 0 {
		return nil, errors.New("it holds no [[demo]]")
	}
	var raw map[string]any
	if len(read.Undecoded()) > 0 { // only then is there an unknown key to name
		if err := toml.Unmarshal(data, &raw); err != nil { // unreachable: the same data was decoded above
			return nil, err
		}
	}
	lines := headerLines(data)
	var faults []error
	for _, k := range unknown(raw, []string{"demo"}) {
		faults = append(faults, fmt.Errorf("unknown key %q", k))
	}
	demos, seen := make([]Demo, len(doc.Demo)), map[string]bool{}
	tables, _ := raw["demo"].([]map[string]any)
	for i, t := range doc.Demo {
		d, found := t.demo()
		found = append(found, faultsOf(d, seen[d.ID])...)
		found = append(found, faultsOfDivision(d, t.Simplify)...)
		if i < len(tables) {
			found = append(found, unknownIn(tables[i])...)
		}
		for _, f := range found {
			faults = append(faults, fmt.Errorf("line %d: demo %q: %s", lines[min(i, len(lines)-1)], d.ID, f))
		}
		seen[d.ID] = true
		demos[i] = completed(d)
	}
	if n := len(faults); n > mostFaults {
		faults = append(faults[:mostFaults], fmt.Errorf("and %d more", n-mostFaults))
	}
	return demos, errors.Join(faults...)
}

// mostFaults bounds the faults that an error lists.
const mostFaults = 50

var header = regexp.MustCompile(`^\s*\[\[\s*"?demo"?\s*\]\]`)

// headerLines returns the line numbers of the [[demo]] headers; never empty.
func headerLines(data []byte) []int {
	var out []int
	for i, line := range strings.Split(string(data), "\n") {
		if header.MatchString(line) {
			out = append(out, i+1)
		}
	}
	if out == nil {
		return []int{1}
	}
	return out
}

// unknown returns the keys of a table that are not in known, sorted.
func unknown(table map[string]any, known []string) []string {
	var out []string
	for k := range table {
		if !slices.Contains(known, k) {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

// unknownIn reports the unknown keys of a demonstration and its steps.
func unknownIn(demo map[string]any) []string {
	var out []string
	for _, k := range unknown(demo, demoKeys) {
		out = append(out, fmt.Sprintf("unknown key %q (there are %s)", k, strings.Join(demoKeys, ", ")))
	}
	for _, below := range []struct {
		key   string
		known []string
	}{{"step", stepKeys}, {"part", partKeys}, {"by", byKeys}} {
		tables, _ := demo[below.key].([]map[string]any)
		if one, ok := demo[below.key].(map[string]any); ok {
			tables = append(tables, one)
		}
		for i, t := range tables {
			for _, k := range unknown(t, below.known) {
				out = append(out, fmt.Sprintf("%s %d: unknown key %q (there are %s)", below.key, i+1, k, strings.Join(below.known, ", ")))
			}
		}
	}
	return out
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// faultsOf lists the faults of one demonstration.
func faultsOf(d Demo, taken bool) (out []string) {
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	named := d.QuestionSHA256 != ""
	say(d.ID == "", "id is missing")
	say(d.ID != "" && taken, "the id is taken by an earlier demo")
	say(d.DB == "", "db is missing")
	say(!named && strings.TrimSpace(d.Question) == "", "question is missing (or question_sha256)")
	say(!named && strings.TrimSpace(d.SQL) == "", "sql is missing")
	say(named && (d.Question != "" || d.SQL != ""), "question_sha256 replaces question and sql: state one or the other")
	say(named && !hash.MatchString(d.QuestionSHA256), "question_sha256 is not 64 lower-case hexadecimal digits")
	say(strings.ContainsAny(d.CoT, "\r\n"), "cot has more than one line")
	say(strings.HasPrefix(strings.TrimSpace(d.CoT), "#"), "cot starts with #, which the prompt adds")
	say(!(d.Naturalness >= 0 && d.Naturalness <= 1), "naturalness is not from 0 to 1")
	out = append(out, d.By.faults()...)
	for i, s := range d.Steps {
		if i < len(d.Steps)-1 {
			say(strings.TrimSpace(s.Question) == "", "step %d: question is missing", i+1)
			continue
		}
		say(s.Question != "" && !named && s.Question != d.Question, "step %d: the last step's question is not the demo's", i+1)
		say(s.SQL != "" && !named && s.SQL != d.SQL, "step %d: the last step's sql is not the demo's", i+1)
		say(named && s.Question+s.SQL != "", "step %d: question and sql of the last step belong to question_sha256", i+1)
	}
	return out
}

var place = regexp.MustCompile(`^[1-9][0-9]*(\.[1-9][0-9]*)*$`)

// faultsOfDivision lists the faults of a demonstration's division.
func faultsOfDivision(d Demo, simplify string) (out []string) {
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	if d.Division == nil {
		say(simplify != "", "simplify without parts")
		return out
	}
	say(strings.TrimSpace(simplify) == "", "simplify is missing")
	seen := map[string]bool{}
	for i, p := range d.Division.Parts {
		say(i == 0 && p.Number != "", "part 1: the question itself has no number")
		say(i == 0 && p.Question != "" && p.Question != d.Question, "part 1: its question is not the demo's")
		say(i > 0 && !place.MatchString(p.Number), "part %d: number %q is not one such as 1 or 1.2", i+1, p.Number)
		say(i > 0 && (seen[p.Number] || !seen[within(p.Number)]), "part %d: number %s is used twice, or before the part that contains it", i+1, p.Number)
		say(i > 0 && strings.TrimSpace(p.Question) == "", "part %d: question is missing", i+1)
		say(strings.TrimSpace(p.Analysis) == "", "part %d: analysis is missing", i+1)
		say(strings.TrimSpace(p.Pseudo) == "", "part %d: pseudo is missing", i+1)
		say(strings.TrimSpace(p.SQL) == "", "part %d: sql is missing", i+1)
		seen[p.Number] = true
	}
	return out
}
