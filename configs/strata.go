package configs

import "slices"

// StrataAxes are what a sample's strata may be: the axes of package axes.
var StrataAxes = slices.Concat(Choices{
	{"hardness", "Spider's label of the gold"},
	{"difficulty", "BIRD's label of the item"},
	{"database", "the item's database"},
	{"joined", "tables joined: one more than the joins"},
}, Features)

// neededStrata checks that a sample of strata is stated as a whole or not at all.
func (l *loader) neededStrata(top layer) {
	size, levels := top["dataset.strata.size"], top["dataset.strata.levels"]
	n, _ := size.v.(int64)
	switch stated := !isEmpty(top, "dataset.strata.by"); {
	case stated && n == 0:
		l.bad(top["dataset.strata.by"].at, "dataset.strata.size is missing: how many items of each stratum")
	case !stated && n > 0:
		l.bad(size.at, "dataset.strata.by is missing: what the strata are, such as tables")
	case !stated && len(elements(levels.v)) > 0:
		l.bad(levels.at, "dataset.strata.by is missing: what the strata are, such as tables")
	}
}
