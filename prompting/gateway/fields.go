package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/configs/input"
)

// Bounds on the JSON of a request.
const (
	mostDepth  = 100
	mostValues = 200_000
)

// fields are the members of a request that have not been read yet. The first error stays, and readers after it return zeros.
type fields struct {
	of  map[string]json.RawMessage
	err error
}

// object reads a body. Names count as they are written, and null is what was not given.
func object(body []byte) (*fields, error) {
	if err := input.Shape(body, mostDepth, mostValues); err != nil {
		return nil, bad("", err.Error())
	}
	f := &fields{}
	if err := json.Unmarshal(body, &f.of); err != nil {
		return nil, bad("", "the request is not a JSON object: "+plain(err))
	}
	if f.of == nil {
		return nil, bad("", "the request is not a JSON object: it is null")
	}
	maps.DeleteFunc(f.of, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	return f, nil
}

// plain returns an error of encoding/json without names of Go's types.
func plain(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return "it holds a " + kind.Value + " where it must not"
	}
	return err.Error()
}

// take reads a member; ok is false where there is none.
func take[T any](f *fields, name string) (v T, ok bool) {
	raw, ok := f.of[name]
	delete(f.of, name)
	if !ok || f.err != nil {
		return v, false
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		f.err = bad(name, fmt.Sprintf("%s cannot be read: %s", name, plain(err)))
		return v, false
	}
	return v, true
}

// whole reads a member that is a whole number, also written as 12.0.
func whole(f *fields, name string) (int64, bool) {
	raw, ok := take[json.RawMessage](f, name)
	if !ok {
		return 0, false
	}
	v := json.Number(raw)
	n, err := v.Int64()
	if x, inexact := v.Float64(); err != nil && inexact == nil && x == float64(int64(x)) && x > -1<<53 && x < 1<<53 {
		return int64(x), true
	}
	if err != nil {
		f.err = bad(name, name+" is no whole number")
		return 0, false
	}
	return n, true
}

// refuse makes members an error that the model layer has nothing for.
func (f *fields) refuse(why string, names ...string) {
	for _, name := range names {
		if _, ok := f.of[name]; ok && f.err == nil {
			f.err = bad(name, name+": "+why)
		}
	}
}

// rest returns the members that were not read, as values whose JSON is the same however they were written. They decide the
// answer, so they are part of the request's identity.
func (f *fields) rest() (map[string]any, error) {
	if f.err != nil || len(f.of) == 0 {
		return nil, f.err
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(f.of)) {
		if name == "" {
			return nil, bad("", "a field has no name")
		}
		v, err := value(f.of[name])
		if err != nil {
			return nil, bad(name, name+" cannot be read: "+plain(err))
		}
		out[name] = v
	}
	return out, nil
}

// value decodes JSON: whole numbers as int64, others as float64.
func value(raw json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return settled(v)
}

// settled replaces the numbers within a value.
func settled(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	case []any:
		for i := range v {
			if v[i], err = settled(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = settled(v[name]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// list reads text, or a list of texts.
func list(raw json.RawMessage) ([]string, error) {
	var one string
	var many []string
	switch {
	case json.Unmarshal(raw, &one) == nil:
		return []string{one}, nil
	case json.Unmarshal(raw, &many) == nil:
		return many, nil
	}
	return nil, errors.New("want a text, or a list of texts")
}

// part is an element of a content that is a list.
type part struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

// content returns the text of a content: a text, or a list of parts that have text. Several are put on lines of their own.
// Anything else is an error, as no model that assay asks would be shown it.
func content(raw json.RawMessage) (string, error) {
	var text string
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", errors.New("a content is neither text nor a list of parts")
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		if p.Text == nil {
			return "", noText(p.Type)
		}
		texts[i] = *p.Text
	}
	return strings.Join(texts, "\n"), nil
}

// noText is the error of a part that is no text.
func noText(kind string) error {
	return fmt.Errorf("a content part of type %q: assay sends models text alone, no images, sounds or files", kind)
}
