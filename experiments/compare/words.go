package compare

import "assay/prompting/sql/tree"

// Word is a token of a statement: Key is its form for comparison, with words in lower case, and Text is as written, with the
// blanks and comments after it.
type Word struct{ Key, Text string }

// Words splits a statement into words, whose texts together are the statement; a text without tokens is one word.
func Words(sql string) (out []Word) {
	tokens := tree.Tokens(sql)
	if len(tokens) == 0 {
		if sql != "" {
			out = append(out, Word{sql, sql})
		}
		return out
	}
	start := 0
	for i, t := range tokens {
		end := len(sql)
		if i+1 < len(tokens) {
			end = tokens[i+1].Start
		}
		key := t.Text
		if t.Kind == tree.Word {
			key = lowerASCII(key)
		}
		out = append(out, Word{key, sql[start:end]})
		start = end
	}
	return out
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}
