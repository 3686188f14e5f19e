package script

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"assay/prompting/draw"

	"go.starlark.net/starlark"
)

// random draws numbers that depend on the run's seed, the purpose and the item alone.
type random struct {
	base
	r *rand.Rand
}

func (r *random) String() string      { return "rand" }
func (r *random) Type() string        { return "rand" }
func (r *random) AttrNames() []string { return []string{"below", "choice", "perm"} }

// Attr returns below(n), perm(n) or choice(list).
func (r *random) Attr(name string) (starlark.Value, error) {
	switch name {
	case "below", "perm":
		return method(func(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			var n int
			if err := starlark.UnpackArgs(name, args, named, "n", &n); err != nil {
				return nil, err
			}
			if n < 1 || n > 1e6 {
				return nil, fmt.Errorf("%s: n = %d: want 1 to 1,000,000", name, n)
			}
			if name == "below" {
				return starlark.MakeInt(r.r.IntN(n)), nil
			}
			return list(r.r.Perm(n), func(i int) starlark.Value { return starlark.MakeInt(i) }), nil
		}).named(name), nil
	case "choice":
		return method(func(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
			var of starlark.Indexable
			if err := starlark.UnpackArgs(name, args, named, "list", &of); err != nil {
				return nil, err
			}
			if of.Len() == 0 {
				return nil, fmt.Errorf("%s: the list is empty", name)
			}
			return of.Index(r.r.IntN(of.Len())), nil
		}).named(name), nil
	}
	return nil, nil
}

// randFunc is rand(purpose, q, *more): the only randomness. Equal arguments draw the same in every arm and order.
func randFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	if len(args) < 2 || len(named) > 0 {
		return nil, fmt.Errorf("%s: want a purpose and the question", name)
	}
	purpose, ok := starlark.AsString(args[0])
	q, isQuestion := args[1].(*question)
	if !ok || !isQuestion {
		return nil, fmt.Errorf("%s: want a purpose and the question", name)
	}
	by := []string{purpose, q.q.ID}
	for _, v := range args[2:] {
		text, ok := starlark.AsString(v)
		if !ok {
			text = v.String()
		}
		by = append(by, text)
	}
	return &random{r: draw.Rand(s.part.kit.seed, by...)}, nil
}

// clock is a limit on time.
type clock struct {
	base
	now func() time.Time
	end time.Time // zero: none
}

func (c *clock) String() string      { return "timer" }
func (c *clock) Type() string        { return "timer" }
func (c *clock) AttrNames() []string { return []string{"over"} }

// Attr returns over: whether the time is up.
func (c *clock) Attr(name string) (starlark.Value, error) {
	if name != "over" {
		return nil, nil
	}
	return starlark.Bool(!c.end.IsZero() && !c.now().Before(c.end)), nil
}

// timerFunc is timer(seconds), or timer("5m"): the one clock. 0 is no limit.
func timerFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(name, args, named, "seconds", &v); err != nil {
		return nil, err
	}
	d, err := durationOf(v)
	if err != nil || d < 0 {
		return nil, fmt.Errorf("%s: want seconds, or a duration such as \"5m\", not %s", name, v)
	}
	if d == 0 {
		return &clock{}, nil
	}
	now := s.part.kit.deps.Now
	if now == nil {
		now = time.Now
	}
	return &clock{now: now, end: now().Add(d)}, nil
}

func durationOf(v starlark.Value) (time.Duration, error) {
	if text, ok := starlark.AsString(v); ok {
		return time.ParseDuration(text)
	}
	seconds, ok := starlark.AsFloat(v)
	if !ok || !(seconds < 1e9) {
		return 0, errors.New("no duration")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
