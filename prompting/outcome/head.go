package outcome

import (
	"slices"
	"strings"

	"assay/prompting/sql/engine"
)

// Whole is what is known of a result of which an outcome holds the first rows alone.
type Whole struct {
	Rows     int    // how many there are
	Multiset string // digests of all rows, as engine.Result has them
	Set      string
	Permuted string
}

// Head returns the outcome with no more than the first rows of a result that is larger than bytes: as many as the bytes have
// room for, and none that would make more than that many cells. Text, Preview and the digests are those of the whole; what
// is kept shares no memory with it.
func (o Outcome) Head(bytes int64, cells int) Outcome {
	if !o.OK() || o.Result.Bytes() <= bytes {
		return o
	}
	all := o.Result
	o.text = o.Text()
	o.Whole = &Whole{Rows: len(all.Rows), Multiset: all.MultisetDigest(), Set: all.SetDigest(), Permuted: all.PermutedDigest()}
	o.Result = &engine.Result{Columns: all.Columns, Truncated: all.Truncated, Duration: all.Duration}
	for _, row := range all.Rows {
		one := &engine.Result{Rows: [][]engine.Value{row}}
		if bytes -= one.Bytes(); bytes < 0 {
			break
		}
		if cells -= len(row); cells < 0 {
			break
		}
		o.Result.Rows = append(o.Result.Rows, cloned(row))
	}
	return o
}

// cloned copies a row with its texts.
func cloned(row []engine.Value) []engine.Value {
	out := slices.Clone(row)
	for i, v := range out {
		switch v.Kind() {
		case engine.Text:
			out[i] = engine.OfText(strings.Clone(v.Bytes()))
		case engine.Blob:
			out[i] = engine.OfBlob([]byte(v.Bytes()))
		}
	}
	return out
}

// rows counts the rows of the whole result.
func (o Outcome) rows() int {
	if o.Whole != nil {
		return o.Whole.Rows
	}
	return len(o.Result.Rows)
}

// MultisetDigest is that of the whole result, which there must be.
func (o Outcome) MultisetDigest() string {
	if o.Whole != nil {
		return o.Whole.Multiset
	}
	return o.Result.MultisetDigest()
}

// PermutedDigest is that of the whole result, which there must be.
func (o Outcome) PermutedDigest() string {
	if o.Whole != nil {
		return o.Whole.Permuted
	}
	return o.Result.PermutedDigest()
}

// SetDigest is that of the whole result, which there must be.
func (o Outcome) SetDigest() string {
	if o.Whole != nil {
		return o.Whole.Set
	}
	return o.Result.SetDigest()
}
