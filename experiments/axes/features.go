package axes

import (
	"strconv"
	"strings"

	"assay/configs"
	"assay/prompting/sql/tree"
)

// plain is the features of a SELECT in which all counts are zero. It is not "", which means that nothing is known.
const plain = "none"

// count holds, by feature name in configs.Features, the function that counts the feature in a statement.
var count = map[string]func(counts) int{
	"joins":       func(f counts) int { return f.Joins },
	"predicates":  func(f counts) int { return f.Predicates },
	"aggregates":  func(f counts) int { return f.Aggregates },
	"scalars":     func(f counts) int { return f.Scalars },
	"subqueries":  func(f counts) int { return f.Subqueries },
	"set-ops":     func(f counts) int { return f.SetOps },
	"maths":       func(f counts) int { return f.Maths },
	"connectives": func(f counts) int { return f.Connectives },
	"distinct":    func(f counts) int { return f.Distincts },
	"like":        func(f counts) int { return f.Likes },
	"order-by":    func(f counts) int { return f.OrderBys },
	"group-by":    func(f counts) int { return f.GroupBys },
	"having":      func(f counts) int { return f.Havings },
	"limit":       func(f counts) int { return f.Limits },
	"case":        func(f counts) int { return f.Cases },
	"windows":     func(f counts) int { return f.Windows },
	"ctes":        func(f counts) int { return f.CTEs },
	"tables":      func(f counts) int { return f.Tables },
}

// counts is what package tree counts, and the number of the statement's tables.
type counts struct {
	tree.Features
	Tables int
}

// Features counts what the SQL is made of, in the form of the column features of questions.csv: "joins=1 predicates=2",
// without zeros, in the order of configs.Features. It returns Plain if all counts are zero, and "" for SQL that does
// not parse as one SELECT.
func Features(sql string) string {
	s, err := tree.Parse(sql)
	if err != nil || s.Query == nil {
		return ""
	}
	counted := counts{tree.Count(s), len(tree.Tables(s, nil))}
	var parts []string
	for _, f := range configs.Features {
		if n := count[f.ID](counted); n != 0 {
			parts = append(parts, f.ID+"="+strconv.Itoa(n))
		}
	}
	if parts == nil {
		return plain
	}
	return strings.Join(parts, " ")
}

// Count returns one feature from a text that Features made. known is false if the text is empty or malformed.
func Count(features, name string) (n int, known bool) {
	for _, part := range strings.Fields(features) {
		f, digits, _ := strings.Cut(part, "=")
		if f != name {
			continue
		}
		n, err := strconv.Atoi(digits)
		return n, err == nil
	}
	return 0, strings.TrimSpace(features) != ""
}
