package exact

import "assay/prompting/sql/schema"

// SelectKeys names what the outermost SELECT of a query returns, a key for each item of its list, as the old Spider
// evaluator's execution match does (Spider's evaluation.py, res_map in eval_exec_match). Keys are equal where that
// evaluator takes the values for the same: DISTINCT does not count, foreign-key columns of the query's tables are
// alike, and an aggregate by itself does not count, so that max(a), min(a) and a have one key; within arithmetic it
// does. "*" is one key, however many columns it returns. The letters "value" are not replaced. The error says why the
// query is outside Spider's grammar.
func (m *Metric) SelectKeys(sql string, s *schema.Database) ([]string, error) {
	p := m.prepare(s)
	q, err := parse(sql, p.names)
	if err != nil {
		return nil, err
	}
	return keys(values(p.rewrite(q))), nil
}
