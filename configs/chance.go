package configs

// chance is a key that has an effect under some of the other keys of [exemplars] alone.
type chance struct {
	path   string
	acts   func(Known, Arm) bool
	remedy string
}

// chances are the sources of chance in a prompt's demonstrations.
var chances = []chance{
	{"exemplars.pool_size", func(known Known, a Arm) bool { return a.Exemplars.PoolSize == 0 || known.shows(a) }, "state exemplars.k"},
	{"exemplars.pool_seed", func(known Known, a Arm) bool { return a.Exemplars.PoolSize > 0 && known.shows(a) }, "state exemplars.pool_size, without which the pool is the whole file"},
	{"exemplars.draw", func(known Known, a Arm) bool {
		return a.Exemplars.K > 0 && known.Chooses(a.Exemplars).draws()
	},
		"state exemplars.k and a strategy that draws: similarity does not"},
	{"exemplars.order", func(known Known, a Arm) bool { return a.Exemplars.K > 1 && !known.Chooses(a.Exemplars).None },
		"state an exemplars.k above 1"},
}

// shows reports whether an arm's prompts can have demonstrations of the pool.
func (k Known) shows(a Arm) bool { return a.Exemplars.K > 0 || k.DrawsExamples(a) }

// draws reports whether a strategy leaves anything to chance.
func (s Strategy) draws() bool { return !s.None && !s.Nearest }

// checkChance refuses a stated or swept source of chance that has an effect in no cell: two values of it would send the same
// requests, and pass for a source without variance. An arm's own statement counts for that arm, any other for all arms.
func (l *loader) checkChance(d *document, e Experiment) {
	if l.src.ran {
		return
	}
	for _, c := range chances {
		acts, arms := false, map[string]bool{}
		for _, cell := range e.Cells() {
			if c.acts(e.Known, cell.Arm) {
				acts, arms[cell.Arm.Name] = true, true
			}
		}
		const none = "%s%s has no effect at any sweep point: %s, or leave it out"
		if v, stated := d.top[c.path]; stated && !acts {
			l.bad(v.at, none, "", c.path, c.remedy)
			continue
		}
		for i, a := range d.arms {
			v, stated := a[c.path]
			if name, _ := a["name"].v.(string); stated && v.at != d.top[c.path].at && !arms[name] {
				l.bad(v.at, none, armName(d, i), c.path, c.remedy)
			}
		}
		for _, x := range d.axes {
			if path, _, _ := axisKey(x.name); path == c.path && !acts {
				l.bad(x.at, none, "sweep: ", c.path, c.remedy)
			}
		}
	}
}
