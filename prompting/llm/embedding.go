package llm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
)

// FinishVector is the Finish of a Response that holds a vector.
const FinishVector = "vector"

// Embeddings is the Params.API of a request for a text's vector.
const Embeddings = "embeddings"

// dimensionsParam is the name of EmbeddingRequest.Dimensions among the parameters of a request.
const dimensionsParam = "dimensions"

// An EmbeddingModel is asked for the vectors of at most MostTexts texts at once, of mostBytes together unless one alone has
// more: no provider of the catalog takes less, and no tokenizer makes more tokens than bytes.
const (
	MostTexts = 100
	mostBytes = 100_000
)

// EmbeddingRequest asks for the vectors of texts. The vector of each text is identified by a Request of its own, see
// Request, so that it is found again whatever texts it is asked with.
type EmbeddingRequest struct {
	Author
	Dimensions int // length of the vectors; 0: the model's own, and nothing is sent
	Texts      []string
}

// Request returns the request for the vector of one text: its Key is the vector's identity.
func (r EmbeddingRequest) Request(text string) Request {
	p := Params{API: Embeddings}
	if r.Dimensions > 0 {
		p.Extra = map[string]any{dimensionsParam: r.Dimensions}
	}
	return Request{Author: r.Author, Params: p, Messages: []Message{{Role: User, Text: text}}}
}

// Batches divides the request into requests that an EmbeddingModel takes, in the order of the texts.
func (r EmbeddingRequest) Batches() iter.Seq[EmbeddingRequest] {
	return func(yield func(EmbeddingRequest) bool) {
		all := r.Texts
		for len(all) > 0 {
			n, size := 0, 0
			for n < min(len(all), MostTexts) && (n == 0 || size+len(all[n]) <= mostBytes) {
				size += len(all[n])
				n++
			}
			if r.Texts = all[:n:n]; !yield(r) {
				return
			}
			all = all[n:]
		}
	}
}

// Vector is one text's vector as the provider gave it, with what it took.
type Vector struct {
	Values    []float32 // not normalised
	Tokens    int       // of the text
	Estimated bool      // the provider counted no tokens
	Cached    bool      // answered by the ledger, without a call
}

// Embedding is the answer to an EmbeddingRequest.
type Embedding struct {
	Vectors []Vector // one per text, in their order
	Model   string   // the version that answered, according to the provider
}

// Usage sums what the vectors took.
func (e Embedding) Usage() (u Usage) {
	for _, v := range e.Vectors {
		u = u.Add(Usage{PromptTokens: v.Tokens, Estimated: v.Estimated})
	}
	return u
}

// Response returns the answer for the vector of text i, as the ledger stores it.
func (e Embedding) Response(i int) Response {
	v := e.Vectors[i]
	return Response{Text: packed(v.Values), Finish: FinishVector, Model: e.Model, Usage: Usage{PromptTokens: v.Tokens, Estimated: v.Estimated}}
}

// VectorOf reads back what Embedding.Response wrote. It fails for a text that is no vector.
func VectorOf(r Response) (Vector, error) {
	values, err := unpacked(r.Text)
	return Vector{Values: values, Tokens: r.Usage.PromptTokens, Estimated: r.Usage.Estimated, Cached: r.Cached}, err
}

// packed writes numbers as little-endian float32.
func packed(values []float32) string {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return string(b)
}

func unpacked(text string) ([]float32, error) {
	if len(text) == 0 || len(text)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no vector of 4-byte numbers", len(text))
	}
	out := make([]float32, len(text)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(text[4*i : 4*i+4])))
	}
	return out, finite(out)
}

// finite refuses numbers that no cosine can be computed from.
func finite(values []float32) error {
	for i, v := range values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("number %d of the vector is %v", i+1, v)
		}
	}
	return nil
}

// Count divides the tokens of a call among its vectors by the lengths of their texts, so that they add up to total; a total
// of 0 means that the provider did not count, and each text's tokens are estimated.
func (e Embedding) Count(texts []string, total int) {
	chars := 0
	for _, t := range texts {
		chars += len(t)
	}
	given, passed := 0, 0
	for i, t := range texts {
		if v := &e.Vectors[i]; total == 0 {
			v.Tokens, v.Estimated = (len(t)+3)/4, true
		} else {
			passed += len(t)
			upTo := total
			if chars > 0 {
				upTo = int(int64(total) * int64(passed) / int64(chars))
			}
			v.Tokens = upTo - given
			given = upTo
		}
	}
}

// EmbeddingModel computes vectors. Implementations are safe for concurrent use. A provider's makes one call for the texts of
// a request, which are at most as many as [EmbeddingRequest.Batches] gives.
//
// What the provider did not give is a [*Failure], as for a [Model]; any other error ends the run. With a Failure the vectors
// of other texts may be returned; a text that has none has no Values.
type EmbeddingModel interface {
	Vectors(ctx context.Context, r EmbeddingRequest) (Embedding, error)
}

// Bind returns an Embedder that asks a model for vectors of the author's in so many dimensions, 0 being the model's own. The
// vectors have length 1, except those of only zeros.
func Bind(m EmbeddingModel, a Author, dimensions int) Embedder { return bound{m, a, dimensions} }

type bound struct {
	model      EmbeddingModel
	author     Author
	dimensions int
}

// Embed implements [Embedder].
func (b bound) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	got, err := b.model.Vectors(ctx, EmbeddingRequest{b.author, b.dimensions, texts})
	if err != nil {
		return nil, err
	}
	if len(got.Vectors) != len(texts) {
		return nil, fmt.Errorf("llm: embed with %q: %d vectors for %d texts", b.author, len(got.Vectors), len(texts))
	}
	out := make([][]float32, len(texts))
	for i, v := range got.Vectors {
		if len(v.Values) != len(got.Vectors[0].Values) {
			return nil, fmt.Errorf("llm: embed with %q: vectors of %d and of %d dimensions: the model behind the name has changed: state embeddings.dimensions, or tell the two apart by embeddings.as",
				b.author, len(got.Vectors[0].Values), len(v.Values))
		}
		out[i] = unit(v.Values)
	}
	return out, nil
}

// unit returns a vector scaled to length 1.
func unit(values []float32) []float32 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	out := make([]float32, len(values))
	if sum == 0 {
		return out
	}
	length := math.Sqrt(sum)
	for i, v := range values {
		out[i] = float32(float64(v) / length)
	}
	return out
}

// CheckEmbedding checks a provider's answer: a vector for every text, all of one length, and of finite numbers.
func CheckEmbedding(r EmbeddingRequest, e Embedding) error {
	if len(e.Vectors) != len(r.Texts) {
		return fmt.Errorf("%d vectors for %d texts", len(e.Vectors), len(r.Texts))
	}
	for i, v := range e.Vectors {
		switch n := len(v.Values); {
		case n == 0 || n != len(e.Vectors[0].Values):
			return fmt.Errorf("vector %d has length %d, the first %d", i+1, n, len(e.Vectors[0].Values))
		}
		if err := finite(v.Values); err != nil {
			return fmt.Errorf("vector %d: %w", i+1, err)
		}
	}
	return nil
}

// ErrNoEmbeddings is the error of a model that computes no vectors.
var ErrNoEmbeddings = errors.New("the model computes no vectors")

// VectorsBy asks a model for vectors; the error is ErrNoEmbeddings if it computes none.
func VectorsBy(ctx context.Context, m Model, r EmbeddingRequest) (Embedding, error) {
	e, ok := m.(EmbeddingModel)
	if !ok {
		return Embedding{}, fmt.Errorf("llm: embed with %q: %w", r.Author, ErrNoEmbeddings)
	}
	return e.Vectors(ctx, r)
}
