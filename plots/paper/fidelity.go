package paper

import (
	"fmt"
	"strings"

	"assay/experiments/fidelity"
	"assay/plots/table"
)

// fidelityName is the table of how near the experiment is to its paper.
const fidelityName = "fidelity"

// Fidelity returns rows of an experiment's fidelity sheet, at least one, as a table: one row per fact and class, and a column
// for the paper where there are several.
func Fidelity(experiment string, rows []fidelity.Row) *table.Table {
	several := len(fidelity.Sources(rows)) > 1
	t := &table.Table{ID: fidelityName, Title: "Fidelity of " + experiment + " to " + strings.Join(fidelity.Sources(rows), "; ")}
	if several {
		t.Title = "Fidelity of " + experiment + " to its papers"
		t.Columns = append(t.Columns, table.Column{Name: "paper", Key: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "what", Key: true}, table.Column{Name: "the paper"}, table.Column{Name: "where", Extra: true},
		table.Column{Name: "here"}, table.Column{Name: "class"}, table.Column{Name: "why", Extra: true})
	for _, r := range rows {
		var cells []table.Cell
		if several {
			cells = append(cells, table.Text(r.Paper))
		}
		for _, s := range []string{r.What, r.Says, r.Where, r.Here, r.Class, r.Why} {
			cells = append(cells, table.Text(s))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = []string{strings.ToUpper(fidelity.Gist(rows)[:1]) + fidelity.Gist(rows)[1:] + ". What is set is compared with the experiment as resolved; a blank is what the paper does not say."}
	if several {
		t.Notes = append(t.Notes, "The papers: "+strings.Join(fidelity.Sources(rows), "; ")+".")
	}
	return t
}

// fidelityTable is the sheet of the run's experiment.
func fidelityTable(v *view) (Output, error) {
	return Output{Table: Fidelity(v.run.Resolved.Name, fidelity.Of(v.run.Resolved)), Aside: true}, nil
}

func whyNoFidelity(v *view) string {
	if len(fidelity.Of(v.run.Resolved)) == 0 {
		return "its experiment repeats no paper"
	}
	return ""
}

// fidelityNote counts the classes of the sheet; empty where there is none.
func (v *view) fidelityNote() string {
	rows := fidelity.Of(v.run.Resolved)
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf("Fidelity to %s: %s; the table %s lists them.", strings.Join(fidelity.Sources(rows), "; "), fidelity.Gist(rows), fidelityName)
}
