package predictions

import (
	"bytes"
	"strings"
)

// parseLines reads one query per line. A line end at the end of the file starts no further line, so a file of n lines has n
// entries with or without it.
func parseLines(b []byte) ([]Entry, error) {
	if bytes.Count(b, []byte("\n")) > mostEntries {
		return nil, errMany
	}
	text := strings.TrimSuffix(string(b), "\n")
	if text == "" && len(b) == 0 {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	out := make([]Entry, len(lines))
	candidates := make([]Candidate, len(lines))
	for i, line := range lines {
		e := &out[i]
		e.Line = i + 1
		if line = strings.TrimSpace(line); line == "" {
			e.blank = true
			continue
		}
		candidates[i].SQL, e.DB = cutDatabase(line)
		e.Candidates = candidates[i : i+1 : i+1]
	}
	return out, nil
}

// cutDatabase splits a line at its last tab where a single word follows it. A tab within the SQL stays: the reference
// evaluators would drop what follows it.
func cutDatabase(line string) (sql, db string) {
	at := strings.LastIndexByte(line, '\t')
	if at < 0 {
		return line, ""
	}
	db = strings.TrimSpace(line[at+1:])
	if strings.ContainsAny(db, " '\"`()[],;=<>*") {
		return line, ""
	}
	return strings.TrimSpace(line[:at]), db
}

// perItem matches lines with n items. A blank line has two meanings in the files of the reference evaluators: an empty
// prediction, and the end of a session. Where the file has n lines, or has once blank ones at its end are
// left out, a blank line is a prediction; where it has n lines that are not blank, blank ones end sessions. ok is
// false where it has neither.
func perItem(lines []Entry, n int) (out []Entry, ok bool) {
	for len(lines) > n && lines[len(lines)-1].blank {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == n {
		return lines, true
	}
	for _, e := range lines {
		if !e.blank {
			out = append(out, e)
		}
	}
	return out, len(out) == n
}
