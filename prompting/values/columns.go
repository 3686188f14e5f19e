package values

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// The bounds of the look that Content takes at a column.
const (
	lookCells = 20000 // non-NULL cells read
	lookTexts = 2000  // distinct texts after which it stops
)

// choose lists the columns to index by the rule of the options, in the order of the database.
func choose(ctx context.Context, c engine.Cells, db *schema.Database, o Options) ([]schema.ColumnName, error) {
	rule := map[string]func(context.Context, engine.Cells, *schema.Database, schema.Table, schema.Column, Options) (bool, error){
		Content: byContent, Chess: asChess, All: anyText,
	}[o.Columns]
	var out []schema.ColumnName
	for _, t := range db.Tables {
		for _, col := range t.Columns {
			ok, err := rule(ctx, c, db, t, col, o)
			if err != nil {
				return nil, fmt.Errorf("column %q of table %q: %w", col.Name, t.Name, err)
			}
			if ok {
				out = append(out, schema.ColumnName{Table: t.Name, Column: col.Name})
			}
		}
	}
	return out, nil
}

// byContent looks at a column's first cells: enough of them must be text, and enough of the distinct texts names or
// words.
func byContent(ctx context.Context, c engine.Cells, _ *schema.Database, t schema.Table, col schema.Column, o Options) (bool, error) {
	cells, texts, words, seen := 0, 0, 0, map[string]bool{}
	err := c.First(ctx, t.Name, col.Name, lookCells, o.MaxLength+1, func(s string, isText bool) error {
		cells++
		if !isText {
			return nil
		}
		texts++
		if !seen[s] && strings.TrimSpace(s) != "" {
			seen[s] = true
			if kindOf(s, o.MaxLength) == Words {
				words++
			}
		}
		if len(seen) == lookTexts {
			return io.EOF
		}
		return nil
	})
	if err != nil || len(seen) == 0 {
		return false, err
	}
	return float64(texts) >= o.MinText*float64(cells) && float64(words) >= o.MinWords*float64(len(seen)), nil
}

// anyText takes every column with a text in it.
func anyText(ctx context.Context, c engine.Cells, _ *schema.Database, t schema.Table, col schema.Column, _ Options) (bool, error) {
	return c.HasText(ctx, t.Name, col.Name)
}

// chessNames are the parts of a name, in lower case, that make CHESS leave a column out.
var chessNames = []string{"_id", " id", "url", "email", "web", "time", "phone", "date", "address"}

// asChess returns the rule of CHESS (src/database_utils/db_values/preprocess.py): the declared type has TEXT, no
// table's primary key has the name, the name is not excluded, and the distinct values are few or short.
func asChess(ctx context.Context, c engine.Cells, db *schema.Database, t schema.Table, col schema.Column, _ Options) (bool, error) {
	lower := strings.ToLower(col.Name)
	if !strings.Contains(strings.ToUpper(col.Type), "TEXT") || strings.HasSuffix(col.Name, "Id") {
		return false, nil
	}
	for _, part := range chessNames {
		if strings.Contains(lower, part) {
			return false, nil
		}
	}
	for _, other := range db.Tables {
		for _, key := range other.PrimaryKey {
			if strings.EqualFold(key, col.Name) {
				return false, nil
			}
		}
	}
	sum, n, err := c.Lengths(ctx, t.Name, col.Name)
	keep := n > 0 && (strings.Contains(lower, "name") && sum < 5_000_000 || sum < 2_000_000 && sum < 25*float64(n) || n < 100)
	return err == nil && keep, err
}

// kind is what a text looks like.
type kind int

// The kinds of texts. Words are what a question may mention otherwise than letter by letter: names, words, short codes.
const (
	Words kind = iota
	Blank
	NumberText
	DateText
	Address // of the web or of mail
	Identifier
	Long
)

var (
	numberText = regexp.MustCompile(`^[-+(]?[$€£¥]?\s?\d[\d,.' ]*(?:[eE][-+]?\d+)?\s?(?:%|[kKmM])?\)?$`)
	dateText   = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?:[T ]+\d{1,2}:\d{2}.*)?$|^[+-]?\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[aApP][mM])?$`)
	webAddress = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]*://|www\.)\S+$|^[^\s@]+@[^\s@]+\.[^\s@]+$`)
	uuidOrHash = regexp.MustCompile(`^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12,}$|^[0-9a-fA-F]{16,}$`)
)

// kindOf returns what a text looks like; one of more than the given number of characters is Long.
func kindOf(s string, most int) kind {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return Blank
	case len(s) > most && utf8.RuneCountInString(s) > most:
		return Long
	case numberText.MatchString(s):
		return NumberText
	case dateText.MatchString(s):
		return DateText
	case webAddress.MatchString(s):
		return Address
	case uuidOrHash.MatchString(s) || serial(s):
		return Identifier
	}
	return Words
}

// serial reports whether a text looks like a generated key: one word of ten characters or more in which digits and
// letters alternate at least three times ("a7f29bc04d"). A model number ("XC90-2015") is shorter, or alternates less
// often.
func serial(s string) bool {
	turns, last := 0, 0
	for _, r := range s {
		now := 0
		switch {
		case unicode.IsSpace(r):
			return false
		case unicode.IsDigit(r):
			now = 1
		case unicode.IsLetter(r):
			now = 2
		}
		if now != 0 && last != 0 && now != last {
			turns++
		}
		if now != 0 {
			last = now
		}
	}
	return utf8.RuneCountInString(s) >= 10 && turns >= 3
}
