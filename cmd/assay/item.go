package main

import (
	"fmt"
	"strconv"
	"strings"
)

// itemWords says how an item may be named, for help.
const itemWords = `ITEM is an item's id, with or without the dataset and split before it; the start of one, where no other
begins so; or the item's place in the run, counted from 0 as BIRD's question_id and the files of predictions are. An id
that is the number goes before the place.`

// itemAt returns the position of the item that a text names among ids of the form dataset/split/id. where names what holds
// them, for the error.
func itemAt(ids []string, named, where string) (int, error) {
	if len(ids) == 0 {
		return 0, fmt.Errorf("no items in %s", where)
	}
	var begin []int
	for i, id := range ids {
		bare := id[strings.LastIndex(id, "/")+1:]
		switch {
		case id == named, bare == named, strings.HasSuffix(id, "/"+named):
			return i, nil
		case named != "" && (strings.HasPrefix(bare, named) || strings.HasPrefix(id, named)):
			begin = append(begin, i)
		}
	}
	if at, err := strconv.Atoi(named); err == nil && at >= 0 {
		if at < len(ids) {
			return at, nil
		}
		if len(begin) == 0 {
			return 0, fmt.Errorf("no item %d in %s: the last of its %d items is %d", at, where, len(ids), len(ids)-1)
		}
	}
	switch len(begin) {
	case 0:
		return 0, fmt.Errorf("no item %q in %s: ids look like %q, or give a place from 0 to %d", named, where, ids[0], len(ids)-1)
	case 1:
		return begin[0], nil
	}
	return 0, fmt.Errorf("%d items of %s begin with %q: %s", len(begin), where, named, firstOf(begin, ids))
}

// firstOf lists some of the ids.
func firstOf(at []int, ids []string) string {
	const most = 5
	var out []string
	for _, i := range at[:min(len(at), most)] {
		out = append(out, ids[i])
	}
	s := strings.Join(out, ", ")
	if len(at) > most {
		s += fmt.Sprintf(" and %d more", len(at)-most)
	}
	return s
}
