package configs

import "slices"

// StrataAxes are the axes by which a sample can be stratified: those of package axes.
var StrataAxes = slices.Concat(Choices{
	{"hardness", "Spider's label of the gold query"},
	{"difficulty", "BIRD's label of the item"},
	{"database", "the item's database"},
	{"joined", "tables joined: the number of joins plus one"},
}, Features)

// neededStrata checks that a stratified sample is stated completely or not at all.
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
