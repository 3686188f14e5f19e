package gateway

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"

	"assay/prompting/llm"
	"assay/prompting/vectors"
)

// Bounds of one request for embeddings.
const (
	mostTexts     = 2048 // as OpenAI has it
	mostDimension = 8192 // of the offline vectors
)

// embed answers /v1/embeddings. A text's vector depends on nothing but the text, so it may be asked for at any time.
func (c *call) embed() error {
	f, err := object(c.body)
	if err != nil {
		return err
	}
	e := c.exchange
	raw, _ := take[json.RawMessage](f, "input")
	texts, err := list(raw)
	switch {
	case err != nil:
		return bad("input", "input: "+err.Error()+"; tokens by their numbers have no meaning here")
	case len(texts) == 0 || len(texts) > mostTexts:
		return bad("input", fmt.Sprintf("input: want 1 to %d texts", mostTexts))
	}
	encoding, _ := take[string](f, "encoding_format")
	if encoding != "" && encoding != "float" && encoding != "base64" {
		return bad("encoding_format", "encoding_format: want float or base64")
	}
	dimension, stated := whole(f, "dimensions")
	if stated && (dimension < 1 || dimension > mostDimension) {
		return bad("dimensions", fmt.Sprintf("dimensions: want 1 to %d", mostDimension))
	}
	if f.err != nil {
		return f.err
	}
	got, name, err := e.vectors(c.r.Context(), texts, int(dimension))
	if err != nil {
		return err
	}
	sendJSON(c.w, http.StatusOK, embeddings(got, name, texts, encoding == "base64"))
	return nil
}

// vectors returns the texts' vectors, and the name of what made them. 0 leaves the dimension to that.
func (e *Exchange) vectors(client context.Context, texts []string, dimension int) ([][]float32, string, error) {
	if e.session.Embed == nil {
		e.mu.Lock()
		e.offline = true
		e.mu.Unlock()
		got, err := vectors.New(vectors.Options{Dimension: dimension}).Embed(client, texts)
		return got, vectors.Name, err
	}
	e.mu.Lock()
	over := e.over
	if !over {
		e.running.Add(1)
	}
	e.mu.Unlock()
	if over {
		return nil, "", &refusal{Status: http.StatusGone, Code: "item_over", Message: "the item has been answered"}
	}
	defer e.running.Done()
	got, err := e.session.Embed.Embed(e.ctx, texts)
	if e.stop(err); err != nil {
		return nil, "", err
	}
	if dimension > 0 && len(got[0]) != dimension {
		return nil, "", bad("dimensions", fmt.Sprintf("dimensions: %d are asked for, and the model %s gives %d: set embeddings.dimensions in the experiment",
			dimension, e.session.EmbedName, len(got[0])))
	}
	return got, e.session.EmbedName, nil
}

// embeddings returns the vectors in the form of OpenAI's API.
func embeddings(got [][]float32, name string, texts []string, coded bool) any {
	data := make([]any, len(got))
	used := 0
	for i, v := range got {
		var value any = v
		if coded {
			value = base64.StdEncoding.EncodeToString(littleEndian(v))
		}
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": value}
		used += llm.EstimateUsage(llm.Request{}, texts[i]).CompletionTokens
	}
	return map[string]any{"object": "list", "data": data, "model": name, "usage": map[string]any{"prompt_tokens": used, "total_tokens": used}}
}

// littleEndian returns numbers as clients decode them.
func littleEndian(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}
