package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"

	"github.com/spf13/cobra"
)

func (a *app) showCmd() *cobra.Command {
	var arm string
	var brief bool
	var x excerpt
	c := &cobra.Command{
		Use:   "show RUN ITEM",
		Short: "Print one item of a run: prompts, completions, SQL, gold query and result rows side by side",
		Long: `Print everything that a run stores of one item: the values found and the columns chosen, each call's prompt and
completion out of the store's ledger, the steps of a decomposition with what became of each (x: an error), the candidates
with what extraction and the fixer did, the votes of selection, the answer's SQL against the gold query, and the rows of
both side by side. For an agent it prints the dialogue: thoughts, actions, what the tools returned, and what each turn was
worth.

` + itemWords + `

Long lines are broken to fit the terminal; --json has every text as it is. --brief leaves out prompts and completions.

--stage and --sample print some calls alone and --replies leaves out their prompts, so that a completion stands as a paper's
example figure has it; --alone finds an item that one generator of a pool solves. assay help experiments has a command
for each example figure of the papers.`,
		Example: "  assay show quickstart film_festival-001 --arm cot\n  assay show quickstart 137 --brief\n  assay show chase-table7 --alone dc-cot --replies",
		Args: args(func(cmd *cobra.Command, given []string) error {
			if x.alone != "" {
				return cobra.ExactArgs(1)(cmd, given)
			}
			return cobra.ExactArgs(2)(cmd, given)
		}),
		RunE: func(cmd *cobra.Command, given []string) error {
			r, err := a.read(given[0])
			if err != nil {
				return err
			}
			item, err := a.itemGiven(given, r, &x, &arm)
			if err != nil {
				return err
			}
			s := story{ctx: cmd.Context(), w: a.out, run: r, index: r.Index(), brief: brief, excerpt: x}
			if err := errors.Join(s.find(item, arm), x.check(s.answers)); err != nil {
				return err
			}
			if beside := store.Open(filepath.Dir(r.Dir)); beside.HasLedger() {
				if s.ledger, err = beside.Ledger(); err != nil {
					return err
				}
				defer s.ledger.Close()
			}
			if a.json {
				return s.printJSON()
			}
			s.width = cmp.Or(a.textOptions().Width, helpWidth)
			folded := &folding{to: a.out, width: s.width}
			s.w = folded
			return errors.Join(s.print(), folded.Flush())
		},
	}
	c.Flags().StringVar(&arm, "arm", "", "this arm only")
	c.Flags().BoolVar(&brief, "brief", false, "leave out prompts and completions")
	x.register(c)
	return c
}

// itemGiven returns the item that the arguments name, or the one that --alone finds, whose calls and arm it sets.
func (a *app) itemGiven(given []string, r *record.Run, x *excerpt, arm *string) (string, error) {
	if x.alone == "" {
		return given[1], nil
	}
	if err := knownArm(r, *arm); err != nil {
		return "", usageError{fmt.Errorf("show: %w", err)}
	}
	c, n, err := x.find(r, *arm)
	if err == nil {
		*arm = c.Arm
		a.note("%s alone solves %d items; this is the first", x.alone, n)
	}
	return c.Item, err
}

// story prints one item of a run.
type story struct {
	ctx      context.Context
	w        io.Writer
	run      *record.Run
	index    *record.Index
	ledger   *ledger.Ledger // nil where the store has none
	brief    bool
	excerpt  excerpt
	width    int // columns of the terminal
	question *record.Question
	answers  []*record.Answer
	before   []llm.Message // the prompt printed last, which the next turn of a dialogue continues
	base     engine.DB     // the item's database; none where it is not available
	noBase   error         // why base is not available
}

// find sets the item and its answers; an empty arm means all arms.
func (s *story) find(id, arm string) error {
	ids := make([]string, len(s.run.Questions))
	for i, q := range s.run.Questions {
		ids[i] = q.Item
	}
	i, err := itemAt(ids, id, s.run.Dir)
	if err != nil {
		return fmt.Errorf("show: %w", err)
	}
	s.question = &s.run.Questions[i]
	for i := range s.index.Answers {
		if a := &s.index.Answers[i]; a.Item.Item == s.question.Item && (arm == "" || a.Item.Arm == arm) {
			s.answers = append(s.answers, a)
		}
	}
	if len(s.answers) == 0 {
		return s.noAnswer(arm)
	}
	s.base, s.noBase = s.database()
	return nil
}

// noAnswer is the error of an item without answers: the run has no such arm, or stopped before the item.
func (s *story) noAnswer(arm string) error {
	if err := knownArm(s.run, arm); err != nil {
		return usageError{fmt.Errorf("show: %w", err)}
	}
	return fmt.Errorf("show: %s has no answer to %s: the run stopped before it", s.run.Dir, s.question.Item)
}

// database returns the item's database through the run's own dataset settings. It fails where the run came from another
// machine, or the dataset has moved; show then prints the result rows that the run stored.
func (s *story) database() (engine.DB, error) {
	d := s.run.Resolved.Dataset
	d.Limit = 0
	d.Filter.IDs = []string{s.question.Item}
	set, err := dataset.Load(s.ctx, d, dataset.Options{})
	if err != nil {
		return engine.DB{}, err
	}
	if len(set.Examples) == 0 || set.Examples[0].Question.Database.None() {
		return engine.DB{}, fmt.Errorf("the dataset has no database for it")
	}
	return set.Examples[0].Question.Database, nil
}

// print prints the item and then each of its answers.
func (s *story) print() error {
	q := s.question
	fmt.Fprintf(s.w, "item      %s (%s)\nquestion  %s\n", q.Item, about(q), q.Question)
	if q.Evidence != "" {
		fmt.Fprintf(s.w, "evidence  %s\n", q.Evidence)
	}
	fmt.Fprintf(s.w, "gold      %s\n", q.Gold)
	if s.noBase != nil {
		fmt.Fprintf(s.w, "(result rows are those that the run kept: %v)\n", s.noBase)
	}
	for _, a := range s.answers {
		if err := s.answer(a); err != nil {
			return err
		}
	}
	return nil
}

// about says of which database a question is, and how hard.
func about(q *record.Question) string {
	s := "database " + q.DB
	if q.Hardness != "" {
		s += ", hardness " + q.Hardness
	}
	if q.Difficulty != "" {
		s += ", difficulty " + q.Difficulty
	}
	return s
}

// answer prints one answer: its scores, calls, candidates, votes and result rows.
func (s *story) answer(a *record.Answer) error {
	it := a.Item
	title := "arm " + it.Arm
	for i, axis := range s.run.Manifest.Axes {
		title += fmt.Sprintf(", %s %s", axis, it.Point[i])
	}
	fmt.Fprintf(s.w, "\n=== %s, seed %d: %s", title, it.Seed, it.Status)
	for i, id := range s.run.Manifest.MetricIDs() {
		fmt.Fprintf(s.w, ", %s %s", id, cmp.Or(it.Values[i].String(), "-"))
	}
	fmt.Fprintln(s.w)
	for _, l := range a.Links {
		if !s.excerpt.calls() || s.excerpt.keeps(record.Call{Stage: l.Stage}) {
			s.linked(l)
		}
	}
	if s.before = nil; !s.brief { // each answer's dialogue begins anew
		for _, c := range a.Calls {
			if !s.excerpt.keeps(c) {
				continue
			}
			if err := s.call(c); err != nil {
				return err
			}
		}
	}
	if s.excerpt.calls() {
		for _, c := range a.Candidates {
			if s.excerpt.candidate(c) {
				s.candidate(c)
			}
		}
		return nil
	}
	s.steps(a)
	s.turns(a)
	for _, c := range a.Candidates {
		s.candidate(c)
	}
	s.chosen(a)
	s.results(a)
	return nil
}

// candidate prints a candidate's query, status and origin; "*" marks the answer.
func (s *story) candidate(c record.Candidate) {
	mark := " "
	if c.Chosen == 1 {
		mark = "*"
	}
	from := "found by " + cmp.Or(c.Rule, "-")
	if c.Generator != "" {
		from = c.Generator + ", " + from
	}
	fmt.Fprintf(s.w, "\n%s sample %d (%s): %s", mark, c.Sample, from, c.Status)
	if c.Why != "" {
		fmt.Fprintf(s.w, ": %s", c.Why)
	}
	fmt.Fprintf(s.w, "\n  %s\n", cmp.Or(c.SQL, "-"))
	s.fixed(c)
}

// maxRows bounds the result rows printed: the two columns should fit on a screen.
const maxRows = 12

// results prints the rows of gold query and prediction side by side. It runs both again; where the database is not
// available, it prints the rows that the run stored.
func (s *story) results(a *record.Answer) {
	gold, pred := s.kept(s.question.GoldDigest), s.kept(digest(a))
	if s.noBase == nil {
		box := sandbox.New(sandbox.Options{Timeout: time.Duration(s.run.Resolved.Timeout), MaxRows: maxRows + 1, Truncate: true})
		gold, pred = s.rows(box, s.question.Gold), s.rows(box, a.Item.SQL)
	}
	if a.Item.SQL == "" {
		pred = []string{"(no SQL)"}
	}
	const between = len("  ") + len(" | ")
	width := (s.width - between) / 2
	fmt.Fprintf(s.w, "\n  %-*s | %s\n", width, "rows of the gold query", "rows of the prediction")
	for i := range max(len(gold), len(pred)) {
		g, p := "", ""
		if i < len(gold) {
			g = shortened(gold[i], width)
		}
		if i < len(pred) {
			p = shortened(pred[i], width)
		}
		fmt.Fprintf(s.w, "  %s%s | %s\n", g, strings.Repeat(" ", width-len([]rune(g))), p)
	}
}

// rows runs a query and returns its rows as lines, or its error as one.
func (s *story) rows(box *sandbox.Box, sql string) []string {
	res, err := box.Run(s.ctx, s.base, sql)
	if err != nil {
		return []string{"error: " + strings.Join(strings.Fields(err.Error()), " ")}
	}
	if len(res.Rows) == 0 {
		return []string{"(no rows)"}
	}
	var out []string
	for i, r := range res.Rows {
		if i == maxRows {
			return append(out, "...")
		}
		cells := make([]string, len(r))
		for j, v := range r {
			cells[j] = strings.Join(strings.Fields(v.String()), " ")
		}
		out = append(out, strings.Join(cells, ", "))
	}
	return out
}

// shortened ends a text that is longer than width characters with three dots.
func shortened(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width-3]) + "..."
}
