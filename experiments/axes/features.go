package axes

import (
	"strconv"
	"strings"

	"assay/configs"
	"assay/metrics/sqlast"
)

// Plain is the features of a SELECT in which all counts are zero: "" says that nothing is known.
const Plain = "none"

// count is how often a statement has a feature, by its name in configs.Features.
var count = map[string]func(sqlast.Features) int{
	"joins":       func(f sqlast.Features) int { return f.Joins },
	"predicates":  func(f sqlast.Features) int { return f.Predicates },
	"aggregates":  func(f sqlast.Features) int { return f.Aggregates },
	"scalars":     func(f sqlast.Features) int { return f.Scalars },
	"subqueries":  func(f sqlast.Features) int { return f.Subqueries },
	"set-ops":     func(f sqlast.Features) int { return f.SetOps },
	"maths":       func(f sqlast.Features) int { return f.Maths },
	"connectives": func(f sqlast.Features) int { return f.Connectives },
	"distinct":    func(f sqlast.Features) int { return f.Distincts },
	"like":        func(f sqlast.Features) int { return f.Likes },
	"order-by":    func(f sqlast.Features) int { return f.OrderBys },
	"group-by":    func(f sqlast.Features) int { return f.GroupBys },
	"having":      func(f sqlast.Features) int { return f.Havings },
	"limit":       func(f sqlast.Features) int { return f.Limits },
	"case":        func(f sqlast.Features) int { return f.Cases },
	"windows":     func(f sqlast.Features) int { return f.Windows },
	"ctes":        func(f sqlast.Features) int { return f.CTEs },
}

// Features counts what the SQL is made of, as the column features of questions.csv has it: "joins=1 predicates=2", only
// what is not zero, in the order of configs.Features; Plain where all is zero; "" for what is not one SELECT that parses.
func Features(sql string) string {
	s, err := sqlast.Parse(sql)
	if err != nil || s.Query == nil {
		return ""
	}
	counts := sqlast.Count(s)
	var parts []string
	for _, f := range configs.Features {
		if n := count[f.ID](counts); n != 0 {
			parts = append(parts, f.ID+"="+strconv.Itoa(n))
		}
	}
	if parts == nil {
		return Plain
	}
	return strings.Join(parts, " ")
}

// Count reads one feature of a text that Features made. It is not known where the text is empty or malformed.
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
