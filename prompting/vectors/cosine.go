package vectors

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Cosine returns the cosine of the angle between two vectors, -1 to 1, whatever their lengths; 0 if one of them is all
// zeros or they differ in dimension.
func Cosine(a, b []float32) float32 {
	if len(a) != len(b) || len(a) == 0 {
		return 0
	}
	va, vb := vector(a), vector(b)
	d := blas32.Nrm2(va) * blas32.Nrm2(vb)
	if d == 0 {
		return 0
	}
	return blas32.Dot(va, vb) / d
}

func vector(v []float32) blas32.Vector { return blas32.Vector{N: len(v), Inc: 1, Data: v} }

// Matrix holds many vectors of length 1, for comparing one vector with all of them. It is safe for concurrent use.
type Matrix struct{ rows blas32.General }

// NewMatrix copies the vectors, each scaled to length 1. It fails if they differ in dimension.
func NewMatrix(vs [][]float32) (*Matrix, error) {
	m := &Matrix{blas32.General{Rows: len(vs)}}
	if len(vs) == 0 {
		return m, nil
	}
	n := len(vs[0])
	m.rows.Cols, m.rows.Stride = n, max(n, 1)
	m.rows.Data = make([]float32, 0, n*len(vs))
	for i, v := range vs {
		if len(v) != n {
			return nil, fmt.Errorf("vectors: matrix of %d vectors: vector %d has %d places, the first %d", len(vs), i+1, len(v), n)
		}
		m.rows.Data = append(m.rows.Data, v...)
		row := vector(m.rows.Data[i*n:])
		if l := blas32.Nrm2(row); l > 0 {
			blas32.Scal(1/l, row)
		}
	}
	return m, nil
}

// Equal reports whether both matrices hold the same vectors.
func (m *Matrix) Equal(o *Matrix) bool {
	return m.rows.Cols == o.rows.Cols && slices.Equal(m.rows.Data, o.rows.Data)
}

// Cosines returns the cosine of q with each vector, in their order; all are 0 if q has another dimension.
func (m *Matrix) Cosines(q []float32) []float32 {
	out := make([]float32, m.rows.Rows)
	if m.rows.Rows == 0 || len(q) == 0 || len(q) != m.rows.Cols {
		return out
	}
	length := blas32.Nrm2(vector(q))
	if length == 0 {
		return out
	}
	blas32.Gemv(blas.NoTrans, 1/length, m.rows, vector(q), 0, vector(out))
	return out
}

// Nearest returns the numbers of the k vectors nearest to q, the nearest first; of equally near ones the lower number
// first.
func (m *Matrix) Nearest(q []float32, k int) []int {
	scores := m.Cosines(q)
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order[:min(max(k, 0), len(order))]
}
