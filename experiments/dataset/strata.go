package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"assay/configs"
	"assay/experiments/axes"
)

// draw keeps a seeded sample, so many of each stratum, in the order of all. An item's rank in the draw is a hash of
// the seed and its id, so nothing else changes it: not the other items, nor their order, nor the size of the sample. short says which
// strata have too few. A stratum with none, or an item of two, is an error.
func draw[T any](s configs.Strata, all []T, id func(T) string, labels func(T) axes.Labels) (kept []T, short []string, err error) {
	if s.By == "" {
		return all, nil, nil
	}
	axis, err := axes.Find(s.By)
	if err != nil {
		return nil, nil, err
	}
	of := make([]axes.Labels, len(all))
	for i, one := range all {
		of[i] = labels(one)
	}
	levels := s.Levels
	if len(levels) == 0 {
		levels = slices.DeleteFunc(axis.Groups(of), func(g string) bool { return g == axes.None })
	}
	stratum := make([]string, len(all)) // the level that took the item
	for _, level := range levels {
		var members []int
		for i := range all {
			if !axis.Holds(of[i], level) {
				continue
			}
			if stratum[i] != "" {
				return nil, nil, fmt.Errorf("dataset.strata.levels: item %s is of both %q and %q", id(all[i]), stratum[i], level)
			}
			stratum[i] = level
			members = append(members, i)
		}
		switch n := len(members); {
		case n == 0:
			return nil, nil, fmt.Errorf("dataset.strata.levels: no item has %s %q", s.By, level)
		case n < s.Size:
			short = append(short, fmt.Sprintf("stratum %s %s has %d items, not %d: all of them are taken", s.By, level, n, s.Size))
		case n > s.Size:
			for _, i := range last(members, n-s.Size, func(i int) string { return strconv.FormatInt(s.Seed, 10) + "\x00" + id(all[i]) }) {
				stratum[i] = ""
			}
		}
	}
	for i, one := range all {
		if stratum[i] != "" {
			kept = append(kept, one)
		}
	}
	return kept, short, nil
}

// last gives the n members whose names have the highest hashes.
func last(members []int, n int, name func(int) string) []int {
	hash := map[int][sha256.Size]byte{}
	for _, i := range members {
		hash[i] = sha256.Sum256([]byte(name(i)))
	}
	slices.SortFunc(members, func(a, b int) int {
		x, y := hash[a], hash[b]
		return cmp.Or(bytes.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
	return members[len(members)-n:]
}

// late reports whether items are chosen by hardness, which needs their schema and so is known late.
func (l *loader) late() bool {
	return len(l.cfg.Filter.Hardness) > 0 || l.cfg.Strata.By == axes.Hardness.Name
}

// drawItems samples items whose hardness does not matter.
func (l *loader) drawItems(set string, items []item) ([]item, error) {
	kept, short, err := draw(l.cfg.Strata, items, func(it item) string { return set + "/" + it.id },
		func(it item) axes.Labels {
			return axes.Labels{DB: it.db, Difficulty: it.difficulty, Features: axes.Features(it.gold)}
		})
	l.warnShort(short)
	return kept, err
}

// drawExamples samples items whose hardness matters.
func (l *loader) drawExamples(all []Example) ([]Example, error) {
	kept, short, err := draw(l.cfg.Strata, all, func(x Example) string { return x.Question.ID },
		func(x Example) axes.Labels {
			return axes.Labels{DB: x.Question.DB, Hardness: x.Hardness, Difficulty: x.Difficulty, Features: axes.Features(x.Gold)}
		})
	l.warnShort(short)
	return kept, err
}

func (l *loader) warnShort(short []string) {
	for _, text := range short {
		l.warn(l.cfg.Path, "", "%s", text)
	}
}
