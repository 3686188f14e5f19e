package openai

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// aside is a field next to an answer's text. It is parsed if it has the known form and ignored otherwise, so that a
// server with another form does not lose an answer that arrived and was paid for.
type aside[T any] struct{ v T }

// UnmarshalJSON implements json.Unmarshaler.
func (a *aside[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		a.v = v
	}
	return nil
}

// mostTokens is more than any call uses; a larger number is a server's mistake and counts as 0.
const mostTokens = 1e8

// count is a number of tokens, sent as a whole number or as text. Anything else is 0, which means not counted.
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (n *count) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(string(bytes.Trim(raw, `"`)), 64)
	if err == nil && v >= 0 && v <= mostTokens && v == math.Trunc(v) {
		*n = count(v)
	}
	return nil
}
