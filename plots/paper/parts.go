package paper

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/experiments/makeup"
	"assay/experiments/record"
	"assay/plots/table"
)

// turnStage matches the stage of a dialogue turn, as method interactive names it.
var turnStage = regexp.MustCompile(`turn \d+$`)

// partial holds the tokens per part of the prompt that were counted for a run.
type partial struct {
	parts []makeup.Part
	hows  []string
}

// parts reads what assay tokens wrote into the run's folder and, for a joined run, into the folders of the others.
func (v *view) parts() (p partial, err error) {
	if p.parts, err = makeup.Read(v.run.Dir); err != nil || v.run.Dir == "" {
		return p, err
	}
	for _, dir := range v.siblings() {
		more, err := makeup.Read(dir)
		if err != nil {
			return p, err
		}
		p.parts = append(p.parts, more...)
	}
	for _, x := range p.parts {
		if !slices.Contains(p.hows, x.How) {
			p.hows = append(p.hows, x.How)
		}
	}
	return p, nil
}

// of adds up parts of an arm's prompt; blank where they were not counted.
func (p partial) of(r row, names []string) table.Cell {
	point := ""
	if len(r.Point) > 0 {
		point = record.Listing([][]string{r.Point})
	}
	sum, items := 0.0, 0
	for _, x := range p.parts {
		if x.Arm == r.Config.Name && x.Point == point {
			items = x.Items
			if slices.Contains(names, x.Name) {
				sum += x.Tokens
			}
		}
	}
	if items == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: sum, N: items})
}

// note says how the parts were counted, or how to count them.
func (p partial) note() string {
	if len(p.parts) == 0 {
		return "What the first prompt is made of is not counted: assay tokens RUN does it, then report again."
	}
	return fmt.Sprintf("Parts are what the first prompt loses when they are left out, means over %d items; tokens: %s.", p.parts[0].Items, strings.Join(p.hows, "; "))
}
