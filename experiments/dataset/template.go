package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"assay/prompting/sql/tree"
)

// template labels a query without its values and the case of its words: queries that differ in those alone have one label.
// The label is a hash, which no method sees; empty for no query.
func template(sql string) string {
	var b strings.Builder
	for _, t := range tree.Tokens(sql) {
		switch t.Kind {
		case tree.TextToken, tree.QuotedName, tree.Number, tree.BlobToken: // older data sets quote values as names
			b.WriteString("? ")
		default:
			if t.Text != ";" {
				b.WriteString(strings.ToLower(t.Text) + " ")
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(b.String()))
	return "template " + hex.EncodeToString(sum[:6])
}
