package paper

import (
	"fmt"
	"slices"
	"strings"
)

// seedCounts returns the fewest and the most seeds of a row. They are equal in one run, and may differ in a joined one.
func (v *view) seedCounts() (least, most int) {
	for i, r := range v.rows {
		if n := len(r.Seeds); i == 0 {
			least, most = n, n
		} else {
			least, most = min(least, n), max(most, n)
		}
	}
	return least, most
}

// overMeans ends "the mean over" so that it is true of every row: "3 seeds", "each arm's own seeds, 1 to 3".
func (v *view) overMeans() string {
	least, most := v.seedCounts()
	if least == most {
		return fmt.Sprintf("%d %s", most, plural(most, "seed", "seeds"))
	}
	return fmt.Sprintf("each arm's own seeds, %d to %d", least, most)
}

// ofSeeds is overMeans where no mean is meant: "3 seeds", "an arm's 1 to 3 seeds".
func (v *view) ofSeeds() string {
	least, most := v.seedCounts()
	if least == most {
		return v.overMeans()
	}
	return fmt.Sprintf("an arm's %d to %d seeds", least, most)
}

// each ends "one seed" where the arms do not all have the same one.
func (v *view) each() string {
	if v.sameSeeds() {
		return ""
	}
	return " per arm"
}

// sameSeeds reports whether all rows have the same seeds.
func (v *view) sameSeeds() bool {
	return !slices.ContainsFunc(v.rows, func(r row) bool { return !slices.Equal(r.Seeds, v.rows[0].Seeds) })
}

// seedList says which seeds the rows have: "seeds 0, 1", and with their arms where they are not the same,
// "seeds 0, 1 (A; B), 9 (C)".
func (v *view) seedList() string {
	s := plural(len(v.seeds), "seed ", "seeds ")
	if v.sameSeeds() {
		return s + seedNames(v.seeds)
	}
	var lists []string
	names := map[string][]string{}
	for _, r := range v.rows {
		list := seedNames(r.Seeds)
		lists = unique(append(lists, list))
		names[list] = unique(append(names[list], r.label))
	}
	for i, list := range lists {
		lists[i] = list + " (" + few(names[list]) + ")"
	}
	return s + strings.Join(lists, ", ")
}

func seedNames(seeds []int64) string {
	names := make([]string, len(seeds))
	for i, s := range seeds {
		names[i] = fmt.Sprint(s)
	}
	return strings.Join(names, ", ")
}

// few joins the first names of a long list, and says how many follow.
func few(names []string) string {
	if len(names) > shown {
		names = append(names[:shown-1:shown-1], fmt.Sprintf("and %d more", len(names)-shown+1))
	}
	return strings.Join(names, "; ")
}
