package openai

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// aside is what stands beside an answer's text. It is read where it has the form that is known here, and is passed over
// where a server writes it otherwise: an answer that came, and was paid for, is not lost for it.
type aside[T any] struct{ v T }

// UnmarshalJSON implements json.Unmarshaler.
func (a *aside[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		a.v = v
	}
	return nil
}

// mostTokens is more than any call takes: what is beyond counts nothing.
const mostTokens = 1e8

// count is a number of tokens: whole, as a number or a text of one. What is none is 0, which is as good as not counted.
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (n *count) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(string(bytes.Trim(raw, `"`)), 64)
	if err == nil && v >= 0 && v <= mostTokens && v == math.Trunc(v) {
		*n = count(v)
	}
	return nil
}
