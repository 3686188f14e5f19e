package page

import (
	"slices"

	"assay/experiments/axes"
	"assay/experiments/diagnosis"
	"assay/experiments/record"
)

// What the list of items can be filtered by, beside what stands in the rows themselves.
type (
	// by is an axis with the groups that items have, in the order of tables.
	by struct {
		Name   string   `json:"n"`
		Shows  string   `json:"t"`
		Groups []string `json:"g"`
	}
	// taxonomy is a list of categories of wrong answers, of which it has those that are suggested in the run.
	taxonomy struct {
		ID         string      `json:"n"`
		Source     string      `json:"t"`
		Categories [][2]string `json:"c"` // id, and a line of help
	}
)

// kinds gives each item its kind and returns the axes and the kinds. An axis is left out where it tells nothing: all items are in
// one group, and that is the one of items of which nothing is known, or a feature's.
func (d *data) kinds(items []indexItem) ([]by, [][]int) {
	var labels []axes.Labels
	at := map[axes.Labels]int{}
	for i, q := range d.Questions {
		l := axes.Labels{Hardness: q.Hardness, Difficulty: q.Difficulty, Features: q.Features}
		if _, known := at[l]; !known {
			at[l] = len(labels)
			labels = append(labels, l)
		}
		items[i].Kind = at[l]
	}
	list, kinds := []by{}, make([][]int, len(labels))
	for i := range kinds {
		kinds[i] = []int{}
	}
	for _, a := range axes.List() {
		groups := a.Groups(labels)
		if a.Name == axes.Database.Name || len(groups) == 0 || len(groups) == 1 && (a.Feature || groups[0] == axes.None) {
			continue
		}
		list = append(list, by{a.Name, a.Shows, groups})
		for i, l := range labels {
			kinds[i] = append(kinds[i], slices.Index(groups, a.Group(l)))
		}
	}
	return list, kinds
}

// suggestions returns what the rules suggest for each wrong answer.
func suggestions(x *record.Index) map[record.Key]diagnosis.Diagnosis {
	out := map[record.Key]diagnosis.Diagnosis{}
	for _, d := range diagnosis.Wrong(x, "") {
		out[d.Answer.Key()] = d
	}
	return out
}

// errors returns the taxonomies with the categories that are suggested, and of each the category of every answer.
func (d *data) errors() ([]taxonomy, [][]int) {
	list, rows := []taxonomy{}, [][]int{}
	for _, t := range diagnosis.Taxonomies {
		one, of := taxonomy{ID: t.ID, Source: t.Source}, make([]int, len(d.Answers))
		used := map[string]bool{}
		for _, w := range d.wrong {
			used[w.Of(t).Category] = true
		}
		var at names
		for _, c := range t.Categories {
			if used[c.ID] {
				at.of(c.ID)
				one.Categories = append(one.Categories, [2]string{c.ID, c.Shows})
			}
		}
		for i, a := range d.Answers {
			of[i] = -1
			if w, ok := d.wrong[a.Item.Key()]; ok {
				of[i] = at.of(w.Of(t).Category)
			}
		}
		if one.Categories != nil {
			list, rows = append(list, one), append(rows, of)
		}
	}
	return list, rows
}
