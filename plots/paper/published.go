package paper

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"

	"assay/configs"
	"assay/plots/table"
	"assay/prompting/exemplar"

	"github.com/gocarina/gocsv"
)

//go:embed published/*.csv
var publishedFiles embed.FS

// published is a paper's table: method id -> column -> value as printed.
type published map[string]map[string]string

// readPublished reads an embedded file; its column method names the row.
func readPublished(file string) (published, error) {
	b, err := publishedFiles.ReadFile("published/" + file)
	if err != nil {
		return nil, err
	}
	rows, err := gocsv.CSVToMaps(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := published{}
	for _, r := range rows {
		p[r["method"]] = r
	}
	return p, nil
}

// cell is a printed value with its deviation, or blank where the paper has none.
func (p published) cell(method, column string, decimals int) table.Cell {
	v, err := strconv.ParseFloat(p[method][column], 64)
	if err != nil {
		return table.Cell{}
	}
	n := table.Number{Value: v, Decimals: decimals}
	if sd, err := strconv.ParseFloat(p[method][column+"_sd"], 64); err == nil {
		n.SD, n.HasSD = sd, true
	}
	return table.Published(n)
}

// has reports whether the table has the method.
func (p published) has(method string) bool { return method != "" && p[method] != nil }

// taiMethod is the row of Tai et al. that an arm repeats: its method with demonstrations drawn at random, or from
// extra-hard questions alone ("-g3"). Arms with other demonstrations, or none, repeat no row.
func taiMethod(a configs.Arm) string {
	if a.Exemplars.K == 0 {
		return ""
	}
	e, err := exemplar.Settings(a.Exemplars)
	switch {
	case err != nil:
		return ""
	case e.Strategy == "random":
		return a.Method
	case e.Strategy == "hardness-only" && len(e.Levels) == 1 && e.Levels[0] == "extra":
		return a.Method + "-g3"
	}
	return ""
}
