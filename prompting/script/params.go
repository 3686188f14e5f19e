package script

import (
	"fmt"
	"slices"

	"assay/configs"

	"go.starlark.net/starlark"
)

// params is what an experiment may set of a method: the defaults that method.star states, and an arm's values over them.
// In Starlark it is what defaults() returns: params.rounds.
type params struct {
	over     map[string]any // by name; those that the file has no default for are passed over
	defaults []configs.Param
	values   starlark.StringDict
}

var _ starlark.HasAttrs = (*params)(nil)

// reserved are the names that an experiment uses for the params of parts.
var reserved = []string{Link, Fix, Choose, Schema}

// define is the function defaults(name = value, ...).
func (p *params) define(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	if p.values != nil {
		return nil, fmt.Errorf("%s: it is called twice: one call states every param", b.Name())
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s: write every param with its name: defaults(rounds = 1)", b.Name())
	}
	p.values = starlark.StringDict{}
	for _, kv := range named {
		name := string(kv[0].(starlark.String))
		usual, err := plain(kv[1])
		if err != nil || !isParam(usual) {
			return nil, fmt.Errorf("%s: %s: a param is a text, a number, True or False, or a list of these", b.Name(), name)
		}
		if slices.Contains(reserved, name) {
			return nil, fmt.Errorf("%s: no param may be named %s: an experiment names a part so", b.Name(), name)
		}
		p.defaults = append(p.defaults, configs.Param{Name: name, Default: usual})
		if p.values[name], err = p.value(name, usual, kv[1]); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
	}
	return p, nil
}

// value returns the arm's value of a param, or the default where it states none.
func (p *params) value(name string, usual any, v starlark.Value) (starlark.Value, error) {
	set, ok := p.over[name]
	if !ok {
		return v, nil
	}
	if n, whole := set.(int64); whole {
		if _, wants := usual.(float64); wants {
			set = float64(n)
		}
	}
	if fmt.Sprintf("%T", set) != fmt.Sprintf("%T", usual) {
		return nil, fmt.Errorf("params.%s = %v: it must be of the kind of its default, %v", name, set, usual)
	}
	return toStarlark(set)
}

// isParam reports whether a default has a type that an experiment can state.
func isParam(v any) bool {
	switch v := v.(type) {
	case bool, int64, float64, string:
		return true
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { _, nested := x.([]any); return nested || !isParam(x) })
	}
	return false
}

func (p *params) String() string        { return "params" }
func (p *params) Type() string          { return "params" }
func (p *params) Freeze()               { p.values.Freeze() }
func (p *params) Truth() starlark.Bool  { return true }
func (p *params) Hash() (uint32, error) { return 0, fmt.Errorf("params cannot be hashed") }
func (p *params) AttrNames() []string   { return p.values.Keys() }

// Attr returns a param's value.
func (p *params) Attr(name string) (starlark.Value, error) { return p.values[name], nil }
