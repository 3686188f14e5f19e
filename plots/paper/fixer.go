package paper

import (
	"fmt"
	"strings"

	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/table"
)

func whyNoFixer(v *view) string {
	for _, r := range v.rows {
		if r.Config.Fixer.Tries > 0 {
			return ""
		}
	}
	return "no arm of it has a fixer"
}

// fixes counts what the fixer did with candidates.
type fixes struct {
	candidates, errors, empties         int
	fixed, better, worse, dropped, lost int
	tries                               int
}

// add counts one candidate; dropped says that the fixer took it out of the pool.
func (m *fixes) add(c *record.Candidate, dropped bool) {
	m.candidates++
	m.tries += c.Tries
	m.fixed += c.Fixed
	switch c.Trigger {
	case "error":
		m.errors++
	case "empty":
		m.empties++
	}
	before := c.OriginalStatus
	if c.Original == "" {
		if before = c.Status; c.Fixed == 1 { // there was no query before
			before = metrics.NoSQL
		}
	}
	switch was, is := before == metrics.Correct, c.Status == metrics.Correct; {
	case dropped:
		m.dropped++
		if was {
			m.lost++
		}
	case is && !was:
		m.better++
	case was && !is:
		m.worse++
	}
}

// fixesIn counts all candidates, the dropped ones included.
func fixesIn(ps []pooled) (m fixes) {
	for _, p := range ps {
		for i := range p.answers {
			for _, c := range p.candidates(i) {
				if c.Rule != standIn {
					m.add(c, false)
				}
			}
			for _, c := range p.dropped(i) {
				m.add(c, true)
			}
		}
	}
	return m
}

// standIn is the rule of the candidate without a query that takes the place of a pool which the fixer emptied.
const standIn = "dropped"

// fixerTable has one row per arm and generator.
func fixerTable(v *view) (Output, error) {
	ps := v.pools()
	columns := numerals("", "candidates")
	columns = append(columns, numerals("triggered by", "error", "empty", "either %")...)
	columns = append(columns, numerals("outcome", "fixed", "made right", "made worse", "dropped", "right ones dropped")...)
	columns = append(columns, numerals("", "tries", "tries each")...)
	t := v.lines("fixer", "What the fixer did", append(generatorKey(), columns...), func(i int, r row) (rows [][]table.Cell) {
		if r.Config.Fixer.Tries == 0 {
			return nil
		}
		for _, s := range partsOf(r, ps[i]) {
			m := fixesIn(s.ps)
			cells := []table.Cell{table.Text(s.name), table.Count(m.candidates), table.Count(m.errors), table.Count(m.empties), percent(m.errors+m.empties, m.candidates)}
			for _, n := range []int{m.fixed, m.better, m.worse, m.dropped, m.lost, m.tries} {
				cells = append(cells, table.Count(n))
			}
			each := table.Cell{}
			if n := m.errors + m.empties; n > 0 {
				each = table.Measured(table.Number{Value: float64(m.tries) / float64(n), Decimals: 2})
			}
			rows = append(rows, append(cells, each))
		}
		return rows
	})
	t.Notes = v.notes("Candidates: those of all items and seeds, the dropped ones included. Fixed: a query after a try runs and returns rows. Made right, made worse: the query that the pool holds is right and the one before was not, or the reverse.",
		"A query whose true answer is empty triggers the fixer too, and can only be made worse or be dropped.", fixerNote(v))
	return Output{Table: t}, nil
}

// fixerNote states the settings of each arm's fixer.
func fixerNote(v *view) string {
	var parts []string
	for _, r := range v.rows {
		if f := r.Config.Fixer; f.Tries > 0 {
			s := fmt.Sprintf("up to %d tries, on_unfixed = %s", f.Tries, f.OnUnfixed)
			parts = append(parts, s)
		}
	}
	return "Fixer: " + strings.Join(unique(parts), "; ") + "."
}
