package predictions

import (
	"fmt"
	"strconv"
	"strings"
)

// Item is what an entry is matched with.
type Item struct {
	ID string // dataset/split/id
	DB string
}

// Fit returns the entry of each item, in the order of the items.
//
// Lines, and JSONL without ids, are matched by order. Entries with ids are matched by these where every one is an item's id,
// with or without "dataset/split/"; otherwise by position where the ids are the numbers from 0 on, as BIRD's keys are. Every
// item must have an entry, every entry an item, and an entry that names a database must name its item's: a file shifted by
// one line would otherwise be scored without complaint. The error says how many entries and items there are, and what is likely
// wrong; of names where the items are from, such as "spider/dev".
func (f *File) Fit(items []Item, of string) ([]Entry, error) {
	out, err := f.fit(items, of)
	for i := 0; err == nil && i < len(out); i++ {
		if e := out[i]; e.DB != "" && e.DB != items[i].DB {
			err = fmt.Errorf("line %d names database %q, but item %d of %d (%s) is of %q", e.Line, e.DB, i+1, len(items), items[i].ID, items[i].DB)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("predictions: fit %s: %w", f.named(), err)
	}
	return out, nil
}

func (f *File) fit(items []Item, of string) ([]Entry, error) {
	if f.Form == Lines {
		if out, ok := perItem(f.Entries, len(items)); ok {
			return out, nil
		}
		return nil, f.misfit(len(items), of)
	}
	named := 0
	for _, e := range f.Entries {
		if e.ID != "" {
			named++
		}
	}
	if named == 0 {
		if len(f.Entries) != len(items) {
			return nil, f.misfit(len(items), of)
		}
		return f.Entries, nil
	}
	if named < len(f.Entries) {
		return nil, fmt.Errorf("%d of %d entries have an id, and the others none", named, len(f.Entries))
	}
	return f.byID(items)
}

// byID matches entries with items by id, or by number where not all ids are the items'.
func (f *File) byID(items []Item) ([]Entry, error) {
	ids := make(map[string]int, 2*len(items))
	for i, it := range items {
		ids[it.ID] = i
		ids[it.ID[strings.LastIndexByte(it.ID, '/')+1:]] = i
	}
	byID := func(id string) (int, bool) { i, ok := ids[id]; return i, ok }
	byNumber := func(id string) (int, bool) {
		i, err := strconv.Atoi(id)
		return i, err == nil && i >= 0 && i < len(items) && strconv.Itoa(i) == id
	}
	known, place := 0, byID
	numbers := 0
	for _, e := range f.Entries {
		if _, ok := byID(e.ID); ok {
			known++
		}
		if _, ok := byNumber(e.ID); ok {
			numbers++
		}
	}
	if known < len(f.Entries) && numbers == len(f.Entries) {
		place = byNumber
	}
	return f.placed(items, place, known)
}

func (f *File) placed(items []Item, place func(id string) (int, bool), known int) ([]Entry, error) {
	out := make([]Entry, len(items))
	for _, e := range f.Entries {
		i, ok := place(e.ID)
		if !ok {
			return nil, fmt.Errorf("line %d: %q is no item: %d of %d ids are; those of the %d items look like %q, or count from 0",
				e.Line, e.ID, known, len(f.Entries), len(items), example(items))
		}
		if out[i].Line != 0 {
			return nil, fmt.Errorf("line %d: item %s has an entry on line %d too", e.Line, items[i].ID, out[i].Line)
		}
		out[i] = e
	}
	var missing []string
	for i := range out {
		if out[i].Line == 0 {
			missing = append(missing, items[i].ID)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("too few: %d predictions for %d items: none for %s", len(f.Entries), len(items), few(missing))
	}
	return out, nil
}

func example(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	return items[0].ID
}

// few lists the first of many names.
func few(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
