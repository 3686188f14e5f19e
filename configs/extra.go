package configs

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Efforts are the words for how much a model may reason, the least first.
var Efforts = Choices{
	{"none", "no reasoning"}, {"minimal", ""}, {"low", ""}, {"medium", ""}, {"high", ""}, {"xhigh", "more than high"}, {"max", "the most that the model can"},
}

// mostBudget bounds a budget of reasoning, in tokens.
const mostBudget = 1e7

// reasoning takes an effort, or a budget as a whole number.
func reasoning(v any) string {
	s := v.(string)
	n, err := strconv.Atoi(s)
	switch {
	case err != nil: // an effort, which choices has checked
		return ""
	case n < 0 || n > mostBudget:
		return fmt.Sprintf("%s is no budget of reasoning: state 0 to %d tokens, or an effort", s, int(mostBudget))
	case strconv.Itoa(n) != s:
		return fmt.Sprintf("%q: write %d", s, n)
	}
	return ""
}

// isNumber reports whether the text of a reasoning is a budget, and not the name of an effort.
func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// tokensOf returns the budget that a reasoning states.
func tokensOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// mostFree is how deep lists and tables may nest in a field of model.extra.
const mostFree = 8

// isFree reports whether a value can be sent as a field of a request: what JSON and TOML both have, in lists at most deep
// levels deep. Only a list may hold a table, because a table is stated by its entries.
func isFree(v any, deep int) bool {
	inside := func(x any) bool {
		m, isTable := x.(map[string]any)
		if !isTable {
			return isFree(x, deep-1)
		}
		for _, y := range m {
			if !isFree([]any{y}, deep-1) {
				return false
			}
		}
		return true
	}
	switch v := v.(type) {
	case string, int64, bool:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		return deep > 0 && !slices.ContainsFunc(v, func(x any) bool { return !inside(x) })
	case []map[string]any:
		return deep > 0 && !slices.ContainsFunc(v, func(x map[string]any) bool { return !inside(x) })
	}
	return false
}

// fieldForm matches the path of a field below its table: names that can be shown in a line, a table and a CSV header.
var fieldForm = regexp.MustCompile(`^[A-Za-z0-9_$:@/+-]{1,80}(?:\.[A-Za-z0-9_$:@/+-]{1,80})*$`)

// secretField matches names of fields that hold keys.
var secretField = regexp.MustCompile(`(?i)(^|[._-])(api_?-?key|authorization|bearer|secret|password|access_token)$`)

// around returns the open table that a path lies in; nil where it lies in none, or names a field that no API has.
func (s scope) around(path string) *key {
	for p, k := range s {
		if rest, in := strings.CutPrefix(path, p+"."); k.kind == free && in && fieldForm.MatchString(rest) {
			return k
		}
	}
	return nil
}

// clash reports whether two paths cannot both have a value, because one is an entry of the other.
func clash(p, q string) bool {
	return p != q && (strings.HasPrefix(p, q+".") || strings.HasPrefix(q, p+"."))
}

// foreign reports whether an arm does not inherit the field of a request at a path of the top: a value of its own is there,
// above or below, or the field was stated for another provider.
func foreign(path string, arm, top layer) bool {
	k := topScope.find(path)
	if k == nil || k.kind != free {
		return false
	}
	table, _, _ := strings.Cut(path, ".")
	if v, stated := arm[table+".provider"]; stated && v.v != top[table+".provider"].v {
		return true
	}
	for p := range arm {
		if clash(p, path) {
			return true
		}
	}
	return false
}

// optional reports whether an arm of a stored run does not have the key where the arm does not state it: what an arm takes
// back is not stored.
func (k *key) optional() bool { return k != nil && (k.kind == free || k.kind == effort) }

// joined returns the fields of two tables; where both have one, that of more, and tables entry by entry.
func joined(fields, more map[string]any) map[string]any {
	if len(more) == 0 {
		return fields
	}
	out := map[string]any{}
	maps.Copy(out, fields)
	for name, v := range more {
		was, isTable := out[name].(map[string]any)
		if over, both := v.(map[string]any); both && isTable {
			v = joined(was, over)
		}
		out[name] = v
	}
	return out
}

// Fields lists the paths of what is stated in Extra, sorted: "chat_template_kwargs.enable_thinking".
func (m Model) Fields() []string {
	var out []string
	var walk func(path string, table map[string]any)
	walk = func(path string, table map[string]any) {
		for name, v := range table {
			if sub, isTable := v.(map[string]any); isTable {
				walk(join(path, name), sub)
			} else {
				out = append(out, join(path, name))
			}
		}
	}
	walk("", m.Extra)
	slices.Sort(out)
	return out
}

// checkSent refuses what the provider of a model cannot be sent.
func (l *loader) checkSent(at origin, where string, a Arm) {
	if l.src.ran {
		return
	}
	selector, _ := a.Selector()
	for _, one := range []struct {
		table string
		m     Model
	}{{"model", a.Model}, {"stages.keywords", a.Stages.Keywords.Over(a.Model)}, {"stages.columns", a.Stages.Columns.Over(a.Model)},
		{"stages.examples", a.Stages.Examples.Over(a.Model)}, {"stages.fix", a.Stages.Fix.Over(a.Model)}, {"selection", selector}} {
		if one.table != "model" && one.table != "selection" && one.m.Reasoning == a.Model.Reasoning {
			continue
		}
		p := l.known.Provider(one.m.Provider)
		if why := p.refuses(one.m); why != "" {
			l.bad(at, "%s: %s.%s", where, one.table, why)
			return
		}
	}
}

// refuses says what of a model's settings the provider cannot be sent, and what to do; empty where all can. A provider that
// answers in this process is no language model: it ignores them.
func (p Provider) refuses(m Model) string {
	if p.Local {
		return ""
	}
	if why := p.refusesAddress(m.BaseURL); why != "" {
		return why
	}
	if why := p.refusesReasoning(m); why != "" {
		return why
	}
	for _, path := range m.Fields() {
		if why := p.refusesField(path); why != "" {
			return why
		}
	}
	return ""
}

// refusesAddress is refuses of a base_url.
func (p Provider) refusesAddress(base string) string {
	switch {
	case p.Address && base == "":
		return fmt.Sprintf("base_url is missing: the provider %s has no address of its own", p.ID)
	case strings.Contains(base, "?") && !p.Address:
		return fmt.Sprintf("base_url has an api-version, which the provider %s does not take: state the address alone", p.ID)
	}
	return ""
}

// refusesField is refuses of a field of a request that model.extra states.
func (p Provider) refusesField(path string) string {
	if secretField.MatchString(path) {
		return fmt.Sprintf("extra.%s would be stored with every run and completion: state the key by key_env or key_file", path)
	}
	for q := range p.Owned {
		switch {
		case path == q || strings.HasPrefix(path, q+"."):
			return fmt.Sprintf("extra.%s cannot be stated: %s", path, p.instead(q))
		case strings.HasPrefix(q, path+"."):
			return fmt.Sprintf("extra.%s must be a table, as it has the entry %s: state its entries by extra.%s.NAME", path, strings.TrimPrefix(q, path+"."), path)
		}
	}
	return ""
}

// instead says what to state in place of a field of a request.
func (p Provider) instead(field string) string {
	if key := p.Owned[field]; key != "" {
		return "it is sent as " + key + " says"
	}
	return "assay sets it itself"
}

func (p Provider) refusesReasoning(m Model) string {
	r := m.Reasoning
	switch {
	case r == "":
	case m.Plain():
		return fmt.Sprintf("reasoning = %q: a plain completion (model.api = %q) has no chat template, which tells the model how much to reason: leave it out, or state model.api = \"chat\"", r, plainAPI)
	case isNumber(r) && p.Budget && tokensOf(r) < p.Least:
		return fmt.Sprintf("reasoning = %s: the provider %s takes budgets from %d tokens: raise it, or state \"none\"", r, p.ID, p.Least)
	case isNumber(r) && m.MaxTokens > 0 && tokensOf(r) >= m.MaxTokens:
		return fmt.Sprintf("reasoning = %s is not below max_tokens = %d, which bounds the reasoning and the answer together: lower one or raise the other", r, m.MaxTokens)
	case isNumber(r) && !p.Budget && len(p.Efforts) > 0:
		return fmt.Sprintf("reasoning = %s: the provider %s takes no budget in tokens: state an effort (%s)", r, p.ID, strings.Join(p.Efforts, ", "))
	case isNumber(r) && !p.Budget, !isNumber(r) && len(p.Efforts) == 0 && !p.Budget:
		return fmt.Sprintf("reasoning: the provider %s cannot be told how much to reason: leave it out", p.ID)
	case !isNumber(r) && !slices.Contains(p.Efforts, r):
		return fmt.Sprintf("reasoning = %q: the provider %s takes %s", r, p.ID, p.reasonings())
	}
	return ""
}

// reasonings lists what the provider takes as model.reasoning.
func (p Provider) reasonings() string {
	out, budget := strings.Join(p.Efforts, ", "), "a budget in tokens"
	if p.Least > 0 {
		budget = fmt.Sprintf("a budget of %d tokens or more", p.Least)
	}
	switch {
	case p.Budget && out == "":
		return budget
	case p.Budget:
		return out + ", or " + budget
	}
	return out
}
