package record

import "assay/metrics/exact"

// Component says which parts of an item's answer and of its gold query exact set match found, and which agree. Right,
// Predicted and Gold have a digit per part, 1 or 0, in the order of the official report: select, select(no AGG), where,
// where(no OP), group(no Having), group, order, and/or, IUEN, keywords.
type Component struct {
	Item      string   `csv:"item"`
	Arm       string   `csv:"arm"`
	Point     []string `csv:"-"`
	Seed      int64    `csv:"seed"`
	Parsed    int      `csv:"parsed"`    // 1 where the answer is in Spider's grammar; elsewhere it was compared as an empty query
	Predicted string   `csv:"predicted"` // the parts that the answer has
	Gold      string   `csv:"gold"`      // those that the gold query has
	Right     string   `csv:"right"`     // those of the answer's that agree
}

// SetCounted sets the digits.
func (c *Component) SetCounted(m exact.Counted) {
	digits := func(parts [exact.PartCount]bool) string {
		out := make([]byte, exact.PartCount)
		for p, has := range parts {
			if out[p] = '0'; has {
				out[p] = '1'
			}
		}
		return string(out)
	}
	if c.Parsed = 0; m.Parsed {
		c.Parsed = 1
	}
	c.Predicted, c.Gold, c.Right = digits(m.Predicted), digits(m.Gold), digits(m.Right)
}

// Counted returns the parts. Digits that are not there count as 0.
func (c Component) Counted() exact.Counted {
	parts := func(digits string) (out [exact.PartCount]bool) {
		for p := range out {
			out[p] = p < len(digits) && digits[p] == '1'
		}
		return out
	}
	return exact.Counted{Parsed: c.Parsed == 1, Predicted: parts(c.Predicted), Gold: parts(c.Gold), Right: parts(c.Right)}
}
