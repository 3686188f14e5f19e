package predictions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"assay/configs/input"
)

// ReadDifficulties reads the difficulty of each item, in the file's order: the member "difficulty" of the objects of JSONL, or of
// a JSON array, as BIRD's questions have it. The error names the file and the record.
func ReadDifficulties(path string) ([]string, error) {
	b, err := input.Text(path, input.Questions)
	if err == nil {
		err = input.Shape(b, mostDepth, mostLabels)
	}
	if err != nil {
		return nil, fmt.Errorf("predictions: read %q: %w", path, input.Cause(err))
	}
	out, err := difficulties(b)
	if err != nil {
		return nil, fmt.Errorf("predictions: read %q: %w", path, err)
	}
	return out, nil
}

// mostLabels bounds the JSON values of a file of difficulties: ten for each of as many entries as there may be.
const mostLabels = 10 * mostEntries

// labelled is a question of BIRD's, of which the difficulty alone is read.
type labelled struct {
	Difficulty *string `json:"difficulty"`
}

func difficulties(b []byte) (out []string, err error) {
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	var records []labelled
	if bytes.HasPrefix(b, []byte("[")) {
		err = json.Unmarshal(b, &records)
	} else {
		records, err = sequence(b)
	}
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		if r.Difficulty == nil {
			return nil, fmt.Errorf("record %d has no \"difficulty\"", i+1)
		}
		out = append(out, *r.Difficulty)
	}
	return out, nil
}

// sequence reads one JSON object after another.
func sequence(b []byte) (out []labelled, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	for {
		var r labelled
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(out)+1, plain(err))
		}
		out = append(out, r)
	}
}
