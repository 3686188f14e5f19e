package demos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/dataset"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/tools"

	"golang.org/x/sync/errgroup"
)

// NoFile is the reason of a demonstration that nothing can be held against.
const NoFile = "the database has no file"

// Reasons of failures that more than one check has.
const (
	notRun   = "the SQL does not run"
	notRead  = "a step's SQL is not one SELECT that can be read"
	tooLong  = "the SQL takes too long"
	noColumn = "a column does not exist"
)

// Checker holds annotations against their databases. It is safe for concurrent use.
type Checker struct {
	Box   *sandbox.Box
	Tools tools.Options // of dialogues
}

// Check returns what is wrong with a demonstration's annotations, at most one failure a kind, in the order of Kinds:
//
//   - the gold query runs; if it does not, the demonstration as a whole fails;
//   - steps: every step's SQL runs, the last is the gold query, and the columns that they name exist;
//   - division: every part's SQL runs, and what is put together gives the rows of the gold query;
//   - dialogue: every action can be read and gives that observation, a query is the gold query, and the end is Done().
//
// Chains of thought and plans are texts that nothing can be held against. An error is the context's, or a database's.
func (c *Checker) Check(ctx context.Context, s dataset.Sourced) ([]Failure, error) {
	gold, bad, err := c.gold(ctx, s)
	if err == nil && bad == nil {
		bad, err = c.annotations(ctx, s, gold)
	}
	if err != nil {
		return nil, fmt.Errorf("demos: check: %w", err)
	}
	return bad, nil
}

// CheckAll checks demonstrations, workers at once; 0 is one. What is found is in their order, and a demonstration is kept where
// nothing is wrong with it.
func (c *Checker) CheckAll(ctx context.Context, all []dataset.Sourced, workers int) ([]Made, error) {
	out := make([]Made, len(all))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for i, one := range all {
		g.Go(func() error {
			found, err := c.Check(within, one)
			out[i] = Made{Sourced: one, Failures: found, Kept: len(found) == 0}
			return err
		})
	}
	return out, g.Wait()
}

// gold runs the gold query; bad is the failure of the demonstration as a whole.
func (c *Checker) gold(ctx context.Context, s dataset.Sourced) (res *engine.Result, bad []Failure, err error) {
	if s.Database.None() {
		return nil, []Failure{{"", NoFile, s.DB}}, nil
	}
	res, reason, detail := c.run(ctx, s.Database, s.SQL)
	switch err := ctx.Err(); {
	case err != nil:
		return nil, nil, err
	case reason != "":
		return nil, []Failure{{"", "gold query: " + reason, detail}}, nil
	}
	return res, nil, nil
}

// annotations checks what a demonstration has beside its gold query, whose result is given.
func (c *Checker) annotations(ctx context.Context, s dataset.Sourced, gold *engine.Result) (out []Failure, err error) {
	for _, check := range []struct {
		kind string
		of   func() (reason, detail string, err error)
	}{
		{Steps, func() (string, string, error) { reason, detail := c.steps(ctx, s); return reason, detail, nil }},
		{Division, func() (string, string, error) { reason, detail := c.division(ctx, s, gold); return reason, detail, nil }},
		{Dialogue, func() (string, string, error) { return c.dialogue(ctx, s) }},
	} {
		reason, detail, err := check.of()
		if stopped := ctx.Err(); stopped != nil {
			return nil, stopped
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", s.ID, err)
		}
		if reason != "" {
			out = append(out, Failure{check.kind, reason, detail})
		}
	}
	return out, nil
}

// run runs SQL; the reason is empty where it has a result.
func (c *Checker) run(ctx context.Context, db engine.DB, sql string) (res *engine.Result, reason, detail string) {
	res, err := c.Box.Run(ctx, db, sql)
	var failed *engine.Error
	switch {
	case err == nil:
		return res, "", ""
	case errors.As(err, &failed) && failed.Kind == engine.Timeout:
		return nil, tooLong, sql
	}
	return nil, notRun, err.Error()
}

// steps checks the steps of a demonstration.
func (c *Checker) steps(ctx context.Context, s dataset.Sourced) (reason, detail string) {
	for i, step := range s.Steps {
		last := i == len(s.Steps)-1
		if last && step.SQL != s.SQL {
			return "the last step is not the gold query", step.SQL
		}
		if name := unknownColumn(step.Columns, s.Schema); name != "" {
			return noColumn, name
		}
		if last || step.SQL == "" {
			continue
		}
		if _, reason, detail := c.run(ctx, s.Database, step.SQL); reason != "" {
			return reason, detail
		}
	}
	return "", ""
}

// division checks the parts of a division, whose first is the question itself.
func (c *Checker) division(ctx context.Context, s dataset.Sourced, gold *engine.Result) (reason, detail string) {
	if s.Division == nil {
		return "", ""
	}
	for i, p := range s.Division.Parts {
		res, reason, detail := c.run(ctx, s.Database, p.SQL)
		if reason != "" {
			return reason, detail
		}
		if i == 0 && res.MultisetDigest() != gold.MultisetDigest() {
			return "what is put together gives other rows than the gold query", p.SQL
		}
	}
	return "", ""
}

// unknownColumn returns the first column of a line "table (column, column), table (column)" that the schema lacks; a table whose
// rows alone are counted has the column *.
func unknownColumn(line string, db *schema.Database) string {
	for rest := line; rest != ""; {
		head, after, ok := strings.Cut(rest, "(")
		inside, next, closed := strings.Cut(after, ")")
		if !ok || !closed {
			return rest
		}
		table := strings.Trim(head, " ,\t")
		for _, column := range strings.Split(inside, ",") {
			if !hasColumn(db, table, strings.TrimSpace(column)) {
				return table + "." + strings.TrimSpace(column)
			}
		}
		rest = strings.TrimSpace(next)
	}
	return ""
}

func hasColumn(db *schema.Database, table, column string) bool {
	return slices.ContainsFunc(db.Tables, func(t schema.Table) bool {
		return strings.EqualFold(t.Name, table) && (column == "*" ||
			slices.ContainsFunc(t.Columns, func(c schema.Column) bool { return strings.EqualFold(c.Name, column) }))
	})
}

// dialogue performs the actions of a dialogue again.
func (c *Checker) dialogue(ctx context.Context, s dataset.Sourced) (reason, detail string, err error) {
	if len(s.Dialogue) == 0 {
		return "", "", nil
	}
	set, err := tools.New(s.Schema, s.Database, c.Box, c.Tools)
	if err != nil {
		return "", "", err
	}
	defer set.Close()
	asked := false
	for i, turn := range s.Dialogue {
		action, err := tools.Parse(turn.Action)
		if err != nil {
			return "an action cannot be read", turn.Action, nil
		}
		if action.Name == tools.Done {
			if i < len(s.Dialogue)-1 {
				return "there are turns after Done()", turn.Action, nil
			}
			break
		}
		seen, err := set.Call(ctx, action)
		switch {
		case err != nil:
			return "", "", err
		case seen.Bad:
			return "an action fails", turn.Action + ": " + seen.Text, nil
		case observed(seen.Text) != turn.Observation:
			return "an action gives another observation", turn.Action, nil
		}
		asked = asked || seen.SQL == s.SQL
	}
	if !asked || s.Dialogue[len(s.Dialogue)-1].Action != tools.Done+"()" {
		return "the dialogue does not end with the gold query and Done()", "", nil
	}
	return "", "", nil
}

// observed is an observation as a dialogue holds it.
func observed(text string) string { return strings.TrimSpace(text) }
