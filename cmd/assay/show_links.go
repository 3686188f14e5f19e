package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
)

// linked prints what linking the question to the database found: the values by table and column, and the columns chosen.
func (s *story) linked(l record.Link) {
	if l.Values != "" {
		fmt.Fprintf(s.w, "\n--- %s found\n%s", l.Stage, byColumn(l.Values))
		return
	}
	fmt.Fprintf(s.w, "\n--- %s chosen\n%s", l.Stage, byColumn(l.Chosen))
}

// byColumn prints a JSON list of [table, column, value] or [table, column], a line per column or per table. What is no such
// list is printed as it is, since a run's files may have been edited.
func byColumn(list string) string {
	var rows [][]string
	short := func(r []string) bool { return len(r) < 2 }
	if err := json.Unmarshal([]byte(list), &rows); err != nil || slices.ContainsFunc(rows, short) {
		return list + "\n"
	}
	var keys []string
	of := map[string][]string{}
	for _, r := range rows {
		last := len(r) - 1
		key := strings.Join(r[:last], ".")
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		of[key] = append(of[key], r[last])
	}
	var b strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&b, "%s: %s\n", key, strings.Join(of[key], " | "))
	}
	return b.String()
}
