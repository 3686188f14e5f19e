package demos

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/annotate"
	"assay/prompting/exemplar"
)

// Applied counts what a review did.
type Applied struct {
	Kept    int `json:"kept"`    // demonstrations with the verdict keep
	Dropped int `json:"dropped"` // demonstrations taken out
	Edited  int `json:"edited"`  // texts that a person wrote anew
	Removed int `json:"removed"` // annotations taken out of demonstrations that stay
}

// applying is a review under way.
type applying struct {
	Applied
	usage *annotate.Usage // of the demonstrations' questions
}

// Apply does what a review says: keep marks a demonstration as reviewed, drop takes out the demonstration (at its question), or the
// annotation that the row is part of. A text or SQL that differs from the demonstration's replaces it, and the annotation is then a
// person's. Where the SQL of a step is another, the columns that a rule read off the steps go, to be derived again. Rows of what
// failed are passed over. Errors are: a row of a demonstration or part that is not there, a part that stands twice, a text that
// was emptied, and another question or gold query, which are the dataset's. Neither argument is changed. What was edited is not checked: see [Checker].
func Apply(demos []exemplar.Demo, rows []Row) ([]exemplar.Demo, Applied, error) {
	questions := make([]string, len(demos))
	for i, d := range demos {
		questions[i] = d.Question
	}
	done := applying{usage: annotate.NewUsage(questions)}
	of := map[string][]Row{}
	for _, r := range rows {
		if r.Part != failedPart {
			of[r.ID] = append(of[r.ID], r)
		}
	}
	var out []exemplar.Demo
	for _, d := range demos {
		d, stays, err := apply(d, of[d.ID], &done)
		if err != nil {
			return nil, done.Applied, fmt.Errorf("demos: apply review to %q: %w", d.ID, err)
		}
		delete(of, d.ID)
		if stays {
			out = append(out, d)
		}
	}
	for _, r := range rows {
		if len(of[r.ID]) > 0 {
			return nil, done.Applied, fmt.Errorf("demos: apply review: there is no demonstration %q", r.ID)
		}
	}
	return out, done.Applied, nil
}

// apply does what the rows of one demonstration say.
func apply(d exemplar.Demo, rows []Row, done *applying) (out exemplar.Demo, stays bool, err error) {
	d.Steps = slices.Clone(d.Steps)
	if d.Division != nil {
		d.Division = &exemplar.Division{Parts: slices.Clone(d.Division.Parts), Simplify: d.Division.Simplify}
	}
	var drop []string
	seen := map[string]bool{}
	for _, r := range rows {
		kind, err := edit(&d, r, done)
		if err == nil && seen[r.Part] {
			err = errors.New("it stands twice in the review: keep one row of it")
		}
		seen[r.Part] = true
		switch {
		case err != nil:
			return d, false, fmt.Errorf("%s: %w", r.Part, err)
		case r.Verdict == Drop && kind == "":
			done.Dropped++
			return d, false, nil
		case r.Verdict == Drop && !slices.Contains(drop, kind):
			drop = append(drop, kind)
		case kind == "" && r.Verdict == Keep:
			d.Reviewed, d.Note = true, oneLine(r.Note)
			done.Kept++
		}
	}
	for _, kind := range drop {
		d = Without(d, kind)
		done.Removed++
	}
	return d, true, nil
}

// errOfDataset refuses another question or gold query, also where the last step or the whole of a division has it.
var errOfDataset = errors.New("question and gold query belong to the dataset: they cannot be edited here")

// edit takes over what a row says in other words, and returns the kind of annotation that it is part of; empty for the question.
func edit(d *exemplar.Demo, r Row, done *applying) (kind string, err error) {
	var text, sql *string
	part, number, _ := strings.Cut(r.Part, " ")
	switch part {
	case "question":
		if r.Text+r.SQL != "" && (oneLine(r.Text) != oneLine(d.Question) || oneLine(r.SQL) != oneLine(d.SQL)) {
			return "", errOfDataset
		}
		return "", nil
	case CoT:
		kind, text = CoT, &d.CoT
	case "step":
		i, err := strconv.Atoi(number)
		if err != nil || i < 1 || i > len(d.Steps) {
			return "", fmt.Errorf("the demonstration has %d steps", len(d.Steps))
		}
		kind, text, sql = Steps, &d.Steps[i-1].Question, &d.Steps[i-1].SQL
		if i == len(d.Steps) && (oneLine(*text) != oneLine(r.Text) || oneLine(*sql) != oneLine(r.SQL)) {
			return "", errOfDataset
		}
	case "part":
		if kind, text, sql = Division, nil, nil; d.Division != nil {
			for i := range d.Division.Parts {
				if p := &d.Division.Parts[i]; p.Number == number {
					text, sql = &p.Question, &p.SQL
				}
			}
		}
		if text == nil {
			return "", fmt.Errorf("the division has no such part")
		}
	case Dialogue:
		return Dialogue, editDialogue(d, r, done)
	default:
		return "", fmt.Errorf("there is no such part: want question, cot, step N, part N or dialogue")
	}
	if kind == Division && number == "" && oneLine(*text) != oneLine(r.Text) {
		return "", errOfDataset
	}
	if r.Verdict == Drop {
		return kind, nil
	}
	queried := sql != nil && oneLine(*sql) != oneLine(r.SQL)
	switch {
	case oneLine(r.Text) == "" && oneLine(*text) != "", queried && oneLine(r.SQL) == "":
		return "", errors.New("it is empty: the verdict drop takes it out")
	case queried:
		*sql = strings.TrimSpace(r.SQL)
	}
	if replace(text, r.Text) || queried {
		d.By = d.By.ByHand(kind)
		done.Edited++
		edited(d, kind, queried, done.usage)
	}
	return kind, nil
}

// edited takes back what a rule said of steps that are others now: their score, and where their SQL is another, their columns.
func edited(d *exemplar.Demo, kind string, queried bool, usage *annotate.Usage) {
	if kind != Steps {
		return
	}
	if d.Naturalness > 0 {
		d.Naturalness, _ = annotate.Naturalness(d.Steps, usage)
		d.By.Naturalness = exemplar.Rule
	}
	for i := range d.Steps {
		if queried && d.By.Columns == exemplar.Rule {
			d.Steps[i].Columns = ""
		}
	}
}

// replace takes over a text, and reports whether it is another one.
func replace(text *string, with string) bool {
	if oneLine(*text) == oneLine(with) {
		return false
	}
	*text = oneLine(with)
	return true
}

// editDialogue takes over a dialogue that differs.
func editDialogue(d *exemplar.Demo, r Row, done *applying) error {
	turns, err := exemplar.ParseDialogue(r.Text)
	if err != nil || slices.Equal(turns, d.Dialogue) {
		return err
	}
	d.Dialogue, d.By = turns, d.By.ByHand(Dialogue)
	done.Edited++
	return nil
}
