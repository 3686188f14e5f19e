package site

import (
	"encoding/json"
	"io"
	"slices"

	"assay/experiments/record"
)

// mostSearch bounds a run's search index, in bytes. Items beyond it are counted and left out.
const mostSearch = 8 << 20

// found is a run's search index. Its script hands it to the page that loaded it.
type found struct {
	Run   string   `json:"run"`
	Arms  []string `json:"arms"`
	Items []entry  `json:"items"`
	Left  int      `json:"left"` // items that did not fit
}

// entry is an item: its question, its gold query, and each SQL that an arm gave.
type entry struct {
	Item     string   `json:"i"`
	Question string   `json:"q"`
	Gold     string   `json:"g"`
	Answers  []answer `json:"a"`
}

// answer is an SQL with the arms that gave it, by their numbers.
type answer struct {
	SQL    string `json:"s"`
	Arms   []int  `json:"a"`
	Status string `json:"t"`
}

// search writes the script that holds a run's search index.
func (s *Site) search(w io.Writer, r Run) error {
	run, err := s.From.Read(r)
	if err != nil {
		return err
	}
	b, err := json.Marshal(indexOf(r, run))
	if err != nil {
		return err
	}
	_, err = w.Write(slices.Concat([]byte("assaySearch("), b, []byte(");\n")))
	return err
}

// indexOf gathers a run's items.
func indexOf(r Run, run *record.Run) found {
	f := found{Run: r.Folder(), Arms: []string{}, Items: []entry{}}
	arms, at := map[string]int{}, map[string]int{}
	entries := make([]entry, len(run.Questions))
	for i, q := range run.Questions {
		entries[i], at[q.Item] = entry{Item: q.Item, Question: q.Question, Gold: q.Gold, Answers: []answer{}}, i
	}
	for _, it := range run.Items {
		arm, known := arms[it.Arm]
		if !known {
			arm, arms[it.Arm], f.Arms = len(f.Arms), len(f.Arms), append(f.Arms, it.Arm)
		}
		if i, ok := at[it.Item]; ok {
			entries[i].add(it, arm)
		}
	}
	size := 0
	for _, e := range entries {
		size += len(e.Item) + len(e.Question) + len(e.Gold) + 40
		for _, a := range e.Answers {
			size += len(a.SQL) + 4*len(a.Arms) + 40
		}
		if size > mostSearch {
			break
		}
		f.Items = append(f.Items, e)
	}
	f.Left = len(entries) - len(f.Items)
	return f
}

// add notes an arm's answer.
func (e *entry) add(it record.Item, arm int) {
	i := slices.IndexFunc(e.Answers, func(a answer) bool { return a.SQL == it.SQL && a.Status == string(it.Status) })
	if i < 0 {
		e.Answers = append(e.Answers, answer{it.SQL, []int{arm}, string(it.Status)})
		return
	}
	if a := &e.Answers[i]; !slices.Contains(a.Arms, arm) {
		a.Arms = append(a.Arms, arm)
	}
}
