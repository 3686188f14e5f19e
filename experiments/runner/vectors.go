package runner

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"assay/configs"
	"assay/experiments/record"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
)

// vectorNotes has the texts whose vectors each cell used. A cell's texts are a set: which item was the first to use one
// depends on the speed of the others, and does not show.
type vectorNotes struct{ cells map[int]*noted }

// of returns a model that notes for a cell what it is asked.
func (n *vectorNotes) of(cell int, m *ledger.Model) llm.EmbeddingModel {
	if n.cells == nil {
		n.cells = map[int]*noted{}
	}
	n.cells[cell] = &noted{model: m, rows: map[string]record.Vector{}}
	return n.cells[cell]
}

// rows returns the rows of vectors.csv, in the order of the cells, then of the keys.
func (n *vectorNotes) rows(cells []configs.Cell) (out []record.Vector) {
	for i, c := range cells {
		if n.cells[i] != nil {
			out = append(out, n.cells[i].sorted(c.Arm.Name, c.Values())...)
		}
	}
	return out
}

// noted is a model whose texts are noted.
type noted struct {
	model llm.EmbeddingModel
	mu    sync.Mutex
	rows  map[string]record.Vector // by key
}

// Vectors implements [llm.EmbeddingModel].
func (n *noted) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	got, err := n.model.Vectors(ctx, r)
	f := (*llm.Failure)(nil)
	if err != nil && !errors.As(err, &f) {
		return got, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, v := range got.Vectors {
		row := record.Vector{Key: r.Request(r.Texts[i]).Key(), PromptTokens: record.CountOf(v.Tokens)}
		if v.Values == nil {
			row.Failure = f.Why()
		}
		n.rows[row.Key] = row
	}
	return got, err
}

// sorted returns the rows of a cell.
func (n *noted) sorted(arm string, point []string) []record.Vector {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := slices.SortedFunc(maps.Values(n.rows), func(a, b record.Vector) int { return strings.Compare(a.Key, b.Key) })
	for i := range out {
		out[i].Arm, out[i].Point = arm, point
	}
	return out
}
