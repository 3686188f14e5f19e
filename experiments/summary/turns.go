package summary

import (
	"fmt"

	"assay/experiments/predictions"
	"assay/metrics"
)

// The groups of ByTurn that are no turn, in SParC's words.
const (
	questionMatch    = "question match"
	interactionMatch = "interaction match"
)

// lastTurn is the last turn that has a group of its own, as in SParC's evaluator.
const lastTurn = 4

// ByTurn sums the scores up by the questions' places in their interactions, one per row: by turn, over all questions, and over
// interactions, which are right where each question that is scored is. places has one for each row.
func (a *Answers) ByTurn(places []predictions.Place) Summary {
	s := a.heads()
	s.Leveling = "turn"
	level := func(name string) *Level { return &Level{Name: name, Scores: make([]Score, len(s.Metrics))} }
	questions, interactions := level(questionMatch), level(interactionMatch)
	turns := map[string]*Level{}
	var session []metrics.Score
	for i, at := range places {
		scores, name := a.Rows[i].Scores, turnName(at.Turn)
		if turns[name] == nil {
			turns[name] = level(name)
		}
		turns[name].add(scores)
		questions.add(scores)
		session = joined(session, scores)
		if i+1 == len(places) || places[i+1].Session != at.Session {
			interactions.add(session)
			session = nil
		}
	}
	out := []*Level{questions, interactions}
	for k := range lastTurn + 1 {
		if l := turns[turnName(k+1)]; l != nil {
			out = append(out, l)
		}
	}
	for _, l := range out {
		l.finish()
		s.Levels = append(s.Levels, *l)
	}
	return s
}

func turnName(turn int) string {
	if turn > lastTurn {
		return fmt.Sprintf("turn > %d", lastTurn)
	}
	return fmt.Sprintf("turn %d", turn)
}

// joined adds a question's scores to those of its interaction; nil begins one.
func joined(session, scores []metrics.Score) []metrics.Score {
	if session == nil {
		for range scores {
			session = append(session, metrics.Score{Status: metrics.GoldError}) // until a question is scored
		}
	}
	for m, x := range scores {
		switch {
		case !x.Status.Scored():
		case x.Value < 1:
			session[m] = metrics.Score{Status: metrics.Wrong}
		case !session[m].Status.Scored():
			session[m] = metrics.Score{Value: 1, Status: metrics.Correct}
		}
	}
	return session
}
