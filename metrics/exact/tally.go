package exact

// Tally counts the partial matches of many items as the official evaluators report them: by the items whose prediction has
// a part, and by those whose gold query has it. The zero value is ready.
type Tally struct {
	Items  int // matches added
	Parsed int // of these, with a prediction in Spider's grammar
	parts  [PartCount]struct{ right, predicted, gold int }
}

// Counted says which parts of one match a Tally counts: those that the prediction has, those that the gold query has, and
// those of the prediction's that agree.
type Counted struct {
	Parsed                 bool // the prediction is in Spider's grammar
	Right, Predicted, Gold [PartCount]bool
}

// Counted returns what a Tally counts of the match.
func (m Match) Counted() Counted {
	c := Counted{Parsed: m.Parsed}
	for p := range PartCount {
		c.Predicted[p], c.Gold[p] = m.has(p)
		c.Right[p] = m.Parts[p] && c.Predicted[p]
	}
	return c
}

// Add counts a match.
func (t *Tally) Add(m Match) { t.AddCounted(m.Counted()) }

// AddCounted counts a match by its parts.
func (t *Tally) AddCounted(m Counted) {
	t.Items++
	t.Parsed += count(m.Parsed)
	for p := range PartCount {
		c := &t.parts[p]
		c.predicted += count(m.Predicted[p])
		c.gold += count(m.Gold[p])
		c.right += count(m.Right[p])
	}
}

// Of returns how many predictions and how many gold queries have a part, and in how many items it agrees and occurs.
func (t *Tally) Of(p Part) (right, predicted, gold int) {
	c := t.parts[p]
	return c.right, c.predicted, c.gold
}

// Accuracy is the share, 0 to 1, of the predictions with a part in which it agrees; 0 where no prediction has it.
func (t *Tally) Accuracy(p Part) float64 { return share(t.parts[p].right, t.parts[p].predicted) }

// Recall is the share, 0 to 1, of the gold queries with a part of which the prediction agrees; 0 where no gold query has it.
func (t *Tally) Recall(p Part) float64 { return share(t.parts[p].right, t.parts[p].gold) }

// F1 is the harmonic mean of Accuracy and Recall. It is 1 where both are 0, as the official evaluators have it: for a part that
// never occurs and for one that never agrees alike. Without an item it is 0.
func (t *Tally) F1(p Part) float64 {
	a, r := t.Accuracy(p), t.Recall(p)
	switch {
	case t.Items == 0:
		return 0
	case a == 0 && r == 0:
		return 1
	}
	return 2 * a * r / (r + a)
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// has reports whether the prediction counts for the accuracy of a part, and the gold query for its recall. Where the
// connectives differ, the official evaluators take the two for each other. (Spider's evaluation.py, eval_partial_match.)
func (m Match) has(p Part) (predicted, gold bool) {
	if p == AndOrPart && m.Parts[p] {
		return true, true
	}
	if p == AndOrPart {
		return len(connectives(m.gold.where)) > 0, len(connectives(m.pred.where)) > 0
	}
	return m.pred.has(p), m.gold.has(p)
}

// has reports whether a query has a part that counts in its share.
func (q *query) has(p Part) bool {
	switch p {
	case SelectPart, SelectColumns:
		return len(q.columns) > 0
	case WherePart, WhereColumns:
		return len(q.where) > 0
	case GroupColumns, GroupPart:
		return len(q.group) > 0
	case OrderPart:
		return q.dir != ""
	case SetOpPart:
		return len(q.next) > 0
	}
	return len(q.keywords()) > 0
}
