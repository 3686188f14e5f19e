package columns

import (
	"strings"
	"testing"

	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// TestNamed: a form of a keyword against a name, both bare of case, spaces, underscores and the plural's s.
func TestNamed(t *testing.T) {
	db := &schema.Database{Tables: []schema.Table{
		{Name: "schools", Columns: []schema.Column{{Name: "CDSCode"}, {Name: "Free Meal Count (K-12)"}, {Name: "charter_numbers"}, {Name: "___"}}},
		{Name: "loans", Columns: []schema.Column{{Name: "Free_Meal_Counts"}, {Name: "status"}}},
	}}
	check := func(want string, keywords ...string) {
		t.Helper()
		var got []string
		for _, c := range Named(db, keywords) {
			got = append(got, c.Table+"."+c.Column)
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q: %s", keywords, d)
		}
	}
	check("schools.CDSCode", "cds codes")
	check("schools.charter_numbers", "Charter Number")
	check("schools.charter_numbers", "chartr number")                                           // 2*12/(13+12) = 0.96
	check("", "charter")                                                                        // 2*7/(13+7) = 0.7
	check("loans.status", "status = 'A'")                                                       // left of the sign
	check("loans.Free_Meal_Counts", "free meal count (of whomever)")                            // before the parentheses
	check("schools.Free Meal Count (K-12) loans.Free_Meal_Counts", "free meal count (of K-12)") // 2*19/(19+21) = 0.95
	check("loans.status", "loans (status)")                                                     // in the parentheses
	check("loans.status", "late status of the loans")                                           // one word
	check("schools.CDSCode loans.status", "status", "cdscode")
	check("", "", "()", "= x", strings.Repeat("status ", 100), "__ s")
}
