package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Answered is who gave completions of a run, by the provider's own words.
type Answered struct {
	Author string `toml:"author"`          // who was asked: provider and model with the address where that is not the provider's own, or the name that the experiment gives
	Model  string `toml:"model,omitempty"` // as it was asked for; empty of a named author
	By     string `toml:"by,omitempty"`    // the version that the completions name
	Print  string `toml:"print,omitempty"` // the system fingerprint that they name
	Card   string `toml:"card,omitempty"`  // what the server's list of models says of it, canonical JSON
}

// telling are the parts of a card that tell weights apart, as llama.cpp, vLLM and gateways spell them.
var telling = []string{"root", "meta.ftype", "meta.n_params", "meta.size", "max_model_len", "quantization", "digest"}

// Words is what the answers said of themselves: `"m-2024-08-06", fingerprint fp_1; meta.ftype all F32`. Empty where that is
// no more than what was asked for.
func (a Answered) Words() string {
	var parts []string
	if a.By != "" && a.By != a.Model {
		parts = append(parts, fmt.Sprintf("%q", a.By))
	}
	if a.Print != "" {
		parts = append(parts, "fingerprint "+a.Print)
	}
	card := a.card()
	if id := card["id"]; id != "" && id != a.Model && id != a.By {
		parts = append(parts, fmt.Sprintf("id %q", id))
	}
	for _, name := range telling {
		if v := card[name]; v != "" {
			parts = append(parts, name+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// Differs lists what sets two answers of one author apart: "meta.size: 7 and 8".
func (a Answered) Differs(b Answered) string {
	var parts []string
	add := func(what, x, y string) {
		if x != y {
			parts = append(parts, fmt.Sprintf("%s: %s and %s", what, orNothing(x), orNothing(y)))
		}
	}
	add("version", a.By, b.By)
	add("fingerprint", a.Print, b.Print)
	x, y := a.card(), b.card()
	var names []string
	for _, card := range []map[string]string{x, y} {
		for name := range card {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		add(name, x[name], y[name])
	}
	const most = 6
	if n := len(parts); n > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(parts, ", ")
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// card is the card's values by their paths, "meta.size"; lists, which repeat names, are left out.
func (a Answered) card() map[string]string {
	var v any
	out := map[string]string{}
	d := json.NewDecoder(strings.NewReader(a.Card))
	d.UseNumber()
	if d.Decode(&v) == nil {
		flatten("", v, out)
	}
	return out
}

// maxTold bounds a value of a card where it is shown, in bytes.
const maxTold = 80

func flatten(path string, v any, out map[string]string) {
	if m, ok := v.(map[string]any); ok {
		for name, x := range m {
			if path != "" {
				name = path + "." + name
			}
			flatten(name, x, out)
		}
		return
	}
	if _, list := v.([]any); list {
		return
	}
	text := fmt.Sprint(v)
	if len(text) > maxTold {
		text = strings.ToValidUTF8(text[:maxTold], "") + "..."
	}
	out[path] = strings.Join(strings.Fields(text), " ")
}

// Doubts says where completions of one author were answered by more than one, each a warning.
func Doubts(all []Answered) (out []string) {
	first := map[string]Answered{}
	for _, a := range all {
		b, ok := first[a.Author]
		if !ok {
			first[a.Author] = a
			continue
		}
		if how := b.Differs(a); how != "" {
			out = append(out, fmt.Sprintf("The completions of %s were not all given by the same: %s.", a.Author, how))
		}
	}
	return out
}
