package demos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/prompting/exemplar"
)

// Applied counts what a review did.
type Applied struct {
	Kept    int `json:"kept"`    // demonstrations with the verdict keep
	Dropped int `json:"dropped"` // demonstrations taken out
	Edited  int `json:"edited"`  // texts that a person wrote anew
	Removed int `json:"removed"` // annotations taken out of demonstrations that stay
}

// Apply does what a review says: keep marks a demonstration as reviewed, drop takes out the demonstration (at its question), or the
// annotation that the row is part of. A text or SQL that differs from the demonstration's replaces it, and the annotation is then a
// person's. Rows of what failed are passed over; a row of a demonstration or part that is not there is an error, as is another
// question or gold query, which are the dataset's. Neither argument is changed. What was edited is not checked: see [Checker].
func Apply(demos []exemplar.Demo, rows []Row) ([]exemplar.Demo, Applied, error) {
	var done Applied
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
			return nil, done, fmt.Errorf("demos: apply review to %q: %w", d.ID, err)
		}
		delete(of, d.ID)
		if stays {
			out = append(out, d)
		}
	}
	for _, r := range rows {
		if len(of[r.ID]) > 0 {
			return nil, done, fmt.Errorf("demos: apply review: there is no demonstration %q", r.ID)
		}
	}
	return out, done, nil
}

// apply does what the rows of one demonstration say.
func apply(d exemplar.Demo, rows []Row, done *Applied) (out exemplar.Demo, stays bool, err error) {
	d.Steps = slices.Clone(d.Steps)
	if d.Division != nil {
		d.Division = &exemplar.Division{Parts: slices.Clone(d.Division.Parts), Simplify: d.Division.Simplify}
	}
	var drop []string
	for _, r := range rows {
		kind, err := edit(&d, r, done)
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

// edit takes over what a row says in other words, and returns the kind of annotation that it is part of; empty for the question.
func edit(d *exemplar.Demo, r Row, done *Applied) (kind string, err error) {
	var text, sql *string
	part, number, _ := strings.Cut(r.Part, " ")
	switch part {
	case "question":
		if oneLine(r.Text) != oneLine(d.Question) || oneLine(r.SQL) != oneLine(d.SQL) {
			return "", fmt.Errorf("question and gold query belong to the dataset: they cannot be edited here")
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
	if changed := replace(text, r.Text) || sql != nil && oneLine(*sql) != oneLine(r.SQL); changed {
		if sql != nil {
			*sql = strings.TrimSpace(r.SQL)
		}
		d.By = d.By.ByHand(kind)
		done.Edited++
	}
	return kind, nil
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
func editDialogue(d *exemplar.Demo, r Row, done *Applied) error {
	turns, err := exemplar.ParseDialogue(r.Text)
	if err != nil || slices.Equal(turns, d.Dialogue) {
		return err
	}
	d.Dialogue, d.By = turns, d.By.ByHand(Dialogue)
	done.Edited++
	return nil
}
