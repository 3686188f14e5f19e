package census

import (
	"fmt"
	"regexp"
	"strings"

	"assay/experiments/census/printed"
	"assay/experiments/published"
)

// Quoted is a value as the published figures count values.
type Quoted struct {
	Text  string
	Found bool // the question has it, letter by letter
}

var (
	firstWhere  = regexp.MustCompile(`(?i)\bWHERE\b`)
	equalQuoted = regexp.MustCompile(`(?:^|[^!<>=])=\s*'([^']*)'`)
)

// Published lists the values that Table 1 of Interactive-T2S counts: texts in single quotes that follow an equals sign,
// after the first WHERE; a value is in the question where the question has exactly those letters. The paper does not
// state that rule, which was inferred: it reproduces every figure that the paper prints for Spider dev, DK, Realistic, Syn and BIRD mini-dev,
// to the last digit. It does not see values in double quotes, in which Spider writes most of its own, nor numbers, LIKE,
// IN, or any other comparison.
func Published(gold, question string) []Quoted {
	at := firstWhere.FindStringIndex(gold)
	if at == nil {
		return nil
	}
	var out []Quoted
	for _, m := range equalQuoted.FindAllStringSubmatch(gold[at[1]:], -1) {
		out = append(out, Quoted{Text: m[1], Found: strings.Contains(question, m[1])})
	}
	return out
}

// Source names the paper of the printed figures.
const Source = "Xiong et al. (2024), Interactive-T2S"

// Printed1 is a row of the paper's Table 1: items, databases, and the rates in percent. 0: not printed.
type Printed1 struct {
	Dataset    string  `json:"dataset"`
	ItemsTrain int     `json:"items_train"`
	Items      int     `json:"items_dev"`
	DBsTrain   int     `json:"dbs_train"`
	DBs        int     `json:"dbs_dev"`
	CVR        float64 `json:"cvr"`
	CVCR       float64 `json:"cvcr"`
}

// Printed6 is a row of the paper's Table 6: means over the databases of the dev set.
type Printed6 struct {
	Dataset     string  `json:"dataset"`
	Tables      float64 `json:"tables_per_db"`
	Columns     float64 `json:"columns_per_table"`
	ForeignKeys float64 `json:"foreign_keys_per_db"`
	Tokens      float64 `json:"schema_tokens_per_db"`
}

// Printed9 is a row of the paper's Table 9: gold queries by the number of tables, in percent, and the mean number.
type Printed9 struct {
	Dataset string  `json:"dataset"`
	One     float64 `json:"tables_1"`
	Two     float64 `json:"tables_2"`
	Three   float64 `json:"tables_3"`
	Four    float64 `json:"tables_4plus"`
	Mean    float64 `json:"average"`
}

// Printed holds the paper's figures of one dataset; nil for a table without it.
type Printed struct {
	Table1 *Printed1 `json:"table1"`
	Table6 *Printed6 `json:"table6"`
	Table9 *Printed9 `json:"table9"`
}

// PrintedOf returns the paper's figures of a dataset, named as dataset.Set names it. The figures hold for whole datasets, so
// callers must not ask about a subset.
func PrintedOf(name string) (p Printed, err error) {
	if p.Table1, err = printedRow("it2s-table1.csv", name, func(r published.Row, n number) Printed1 {
		return Printed1{r["name"], int(n("items_train")), int(n("items_dev")), int(n("dbs_train")), int(n("dbs_dev")), n("cvr"), n("cvcr")}
	}); err != nil {
		return p, err
	}
	if p.Table6, err = printedRow("it2s-table6.csv", name, func(r published.Row, n number) Printed6 {
		return Printed6{r["name"], n("tables_per_db"), n("columns_per_table"), n("foreign_keys_per_db"), n("schema_tokens_per_db")}
	}); err != nil {
		return p, err
	}
	p.Table9, err = printedRow("it2s-table9.csv", name, func(r published.Row, n number) Printed9 {
		return Printed9{r["name"], n("tables_1"), n("tables_2"), n("tables_3"), n("tables_4plus"), n("average")}
	})
	return p, err
}

// number returns a printed row's number in a column, 0 where it has none.
type number func(column string) float64

// printedRow returns the dataset's row of a printed table, nil where it has none.
func printedRow[T any](file, dataset string, fill func(published.Row, number) T) (*T, error) {
	csv, err := printed.Files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("census: read printed table: %w", err)
	}
	t, err := published.Read(csv)
	if err != nil {
		return nil, fmt.Errorf("census: read printed table %q: %w", file, err)
	}
	row := t.Find("dataset", dataset)
	if row == nil {
		return nil, nil
	}
	out := fill(row, func(column string) float64 { x, _ := row.Number(column); return x })
	return &out, nil
}
