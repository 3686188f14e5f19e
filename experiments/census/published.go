package census

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/gocarina/gocsv"
)

// Quoted is a value as the published figures count it.
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
// state that rule: it is the one that gives every figure it prints for Spider dev, DK, Realistic, Syn and BIRD mini-dev,
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

// Source is where the printed figures come from.
const Source = "Xiong et al. (2024), Interactive-T2S"

//go:embed published/it2s-table1.csv
var table1 []byte

//go:embed published/it2s-table6.csv
var table6 []byte

//go:embed published/it2s-table9.csv
var table9 []byte

// Printed1 is a row of the paper's Table 1: items, databases, and the rates in percent. 0: it prints none.
type Printed1 struct {
	Dataset    string  `csv:"dataset" json:"dataset"`
	ItemsTrain int     `csv:"items_train" json:"items_train"`
	Items      int     `csv:"items_dev" json:"items_dev"`
	DBsTrain   int     `csv:"dbs_train" json:"dbs_train"`
	DBs        int     `csv:"dbs_dev" json:"dbs_dev"`
	CVR        float64 `csv:"cvr" json:"cvr"`
	CVCR       float64 `csv:"cvcr" json:"cvcr"`
}

// Printed6 is a row of the paper's Table 6: means over the databases of the dev set.
type Printed6 struct {
	Dataset     string  `csv:"dataset" json:"dataset"`
	Tables      float64 `csv:"tables_per_db" json:"tables_per_db"`
	Columns     float64 `csv:"columns_per_table" json:"columns_per_table"`
	ForeignKeys float64 `csv:"foreign_keys_per_db" json:"foreign_keys_per_db"`
	Tokens      float64 `csv:"schema_tokens_per_db" json:"schema_tokens_per_db"`
}

// Printed9 is a row of the paper's Table 9: golds by the number of tables, in percent, and the mean number.
type Printed9 struct {
	Dataset string  `csv:"dataset" json:"dataset"`
	One     float64 `csv:"tables_1" json:"tables_1"`
	Two     float64 `csv:"tables_2" json:"tables_2"`
	Three   float64 `csv:"tables_3" json:"tables_3"`
	Four    float64 `csv:"tables_4plus" json:"tables_4plus"`
	Mean    float64 `csv:"average" json:"average"`
}

// Printed is what the paper prints of one dataset; nil where it prints nothing.
type Printed struct {
	Table1 *Printed1 `json:"table1"`
	Table6 *Printed6 `json:"table6"`
	Table9 *Printed9 `json:"table9"`
}

// printedAs is the paper's names of datasets: in Table 1, and in Tables 6 and 9.
var printedAs = map[string][2]string{
	"spider/dev":         {"spider-dev", "spider"},
	"spider/dk":          {"spider-dk", ""},
	"spider/realistic":   {"spider-realistic", ""},
	"spider/syn":         {"spider-syn", ""},
	"bird/dev":           {"bird-dev", "bird"},
	"bird/mini_dev":      {"bird-mini-dev", ""},
	"bird-finc/original": {"finc-original", ""},
	"bird-finc/sql":      {"finc-sql", ""},
	"bird-finc/data":     {"finc-data", ""},
}

// PrintedOf finds what the paper prints of a dataset named as dataset.Set names it. A subset is not the dataset: ask
// only for whole ones.
func PrintedOf(name string) (Printed, error) {
	var p Printed
	as, known := printedAs[name]
	if !known {
		return p, nil
	}
	var err error
	if p.Table1, err = row(table1, as[0], func(r Printed1) string { return r.Dataset }); err != nil {
		return p, err
	}
	if p.Table6, err = row(table6, as[1], func(r Printed6) string { return r.Dataset }); err != nil {
		return p, err
	}
	p.Table9, err = row(table9, as[1], func(r Printed9) string { return r.Dataset })
	return p, err
}

func row[T any](csv []byte, name string, of func(T) string) (*T, error) {
	var rows []T
	if err := gocsv.UnmarshalBytes(csv, &rows); err != nil {
		return nil, fmt.Errorf("census: read printed table %q: %w", name, err)
	}
	for _, r := range rows {
		if of(r) == name {
			return &r, nil
		}
	}
	return nil, nil
}
