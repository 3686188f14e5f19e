package live

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/site"
)

// state is what the pages ask for: the runs that are not complete, and whether the list has changed.
type state struct {
	Runs []going `json:"runs"`
	List string  `json:"list"` // another value means another list
}

// going is a run that is under way, or was stopped before its end.
type going struct {
	Folder string  `json:"folder"`
	Name   string  `json:"name"`
	Done   int     `json:"done"`   // answers
	All    int     `json:"all"`    // 0 where unknown
	Right  int     `json:"right"`  // by the first metric
	Failed int     `json:"failed"` // answers without a completion
	Paid   string  `json:"paid"`
	Ago    float64 `json:"ago"`   // seconds since its folder was last written
	Maker  bool    `json:"maker"` // a process makes it that can be stopped here
	Told   string  `json:"told"`
	News   []news  `json:"news"` // the newest answers, as far as readings of the folder tell
}

// news is one answer.
type news struct {
	Item   string `json:"item"`
	Arm    string `json:"arm"`
	Status string `json:"status"`
	SQL    string `json:"sql"`
}

// seen is what was last read of a run.
type seen struct {
	key  string
	had  map[record.Key]bool
	last going
}

// mostNews bounds the answers listed per run.
const mostNews = 10

// news answers with the state of the runs.
func (s *Server) news(w http.ResponseWriter, _ *http.Request) {
	now, _, err := s.current()
	if err != nil {
		http.Error(w, "the store cannot be read: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	out := state{Runs: []going{}}
	var open []site.Run
	for _, r := range now.Runs {
		out.List += r.Folder() + r.State + " "
		if r.State == "incomplete" {
			open = append(open, r)
		}
	}
	makers := s.o.Makers(open)
	for _, r := range open {
		g := s.going(now, r)
		g.Ago, g.Maker, g.Told = time.Since(r.Written).Seconds(), makers[r.Name], s.o.Told(r)
		out.Runs = append(out.Runs, g)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // a client that has gone needs no answer
}

// going reads a run's rows, unless its files are as they were.
func (s *Server) going(now *site.Site, r site.Run) going {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.states[r.Name]
	if before != nil && before.key == r.Key {
		return before.last
	}
	g := going{Folder: r.Folder(), Name: r.Name, News: []news{}}
	run, err := now.From.Read(r)
	if err != nil {
		g.Told = err.Error()
		return g
	}
	g.All = len(run.Questions) * len(run.Resolved.Cells()) * max(len(run.Resolved.Seeds), 1)
	g.Done = len(run.Items)
	if paid, err := cost.ReadSpent(r.Dir); err == nil && paid.Calls > 0 {
		g.Paid = paid.String()
	}
	had := map[record.Key]bool{}
	if before != nil {
		g.News = slices.Clone(before.last.News)
	}
	for _, it := range run.Items {
		had[it.Key()] = true
		switch it.Status {
		case metrics.Correct:
			g.Right++
		case metrics.ModelError:
			g.Failed++
		}
		if before == nil || !before.had[it.Key()] {
			g.News = append(g.News, news{it.Item, it.Arm, string(it.Status), short(it.SQL)})
		}
	}
	g.News = g.News[max(0, len(g.News)-mostNews):]
	s.states[r.Name] = &seen{r.Key, had, g}
	return g
}

// mostSQL bounds a query in the news, in characters.
const mostSQL = 300

// short cuts a query.
func short(sql string) string {
	if r := []rune(sql); len(r) > mostSQL {
		return string(r[:mostSQL]) + "..."
	}
	return sql
}
