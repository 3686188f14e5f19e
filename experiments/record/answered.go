package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Answered says who gave completions of a run, as the provider's responses describe it.
type Answered struct {
	Author string `toml:"author"`          // provider and model, with the address where that is not the provider's own; or the name that the experiment gives
	Model  string `toml:"model,omitempty"` // as the requests name it; empty of a named author
	By     string `toml:"by,omitempty"`    // the version that the completions name
	Print  string `toml:"print,omitempty"` // the system fingerprint that they name
	Card   string `toml:"card,omitempty"`  // what the server's list of models says of it, canonical JSON
}

// telling are the fields of a card that distinguish weights, as llama.cpp, vLLM and gateways spell them.
var telling = []string{"root", "meta.ftype", "meta.n_params", "meta.size", "max_model_len", "quantization", "digest"}

// Words describes the responder as the completions do: `"m-2024-08-06", fingerprint fp_1; meta.ftype all F32`. Empty where that
// says no more than the request.
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

// defaults begins the names of a card's values that a server uses where a request states none.
const defaults = "defaults."

// samePlaceless reports whether one of two names is the other with the place of its file, as older records have it.
func samePlaceless(x, y string) bool {
	inPlace := strings.HasPrefix(x, "/") || strings.HasPrefix(y, "/")
	return inPlace && x != "" && y != "" && path.Base(x) == path.Base(y)
}

// Defaults lists the settings that the server uses where a request states none, as far as it says so: "min_p 0.05, n_ctx
// 8192". Empty where it does not.
func (a Answered) Defaults() string {
	var parts []string
	for name, v := range a.card() {
		if own, in := strings.CutPrefix(name, defaults); in {
			parts = append(parts, own+" "+v)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Differs lists the differences between two responders of one author: "meta.size: 7 and 8".
func (a Answered) Differs(b Answered) string {
	var parts []string
	add := func(what, x, y string) {
		if x != y && !samePlaceless(x, y) {
			parts = append(parts, fmt.Sprintf("%s: %s and %s", what, cmp.Or(x, "nothing"), cmp.Or(y, "nothing")))
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
		if _, inBoth := x[name]; !inBoth && strings.HasPrefix(name, defaults) {
			continue // of a card from before a server's defaults were asked for, or of a server that was not asked
		}
		if _, inBoth := y[name]; !inBoth && strings.HasPrefix(name, defaults) {
			continue
		}
		add(name, x[name], y[name])
	}
	const most = 6
	if n := len(parts); n > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(parts, ", ")
}

// card returns the card's values by path, such as "meta.size". It leaves out lists, which repeat names and whose order may
// change between two requests.
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

// maxShown bounds a value of a card where it is shown, in bytes.
const maxShown = 80

// flatten adds the values of a decoded card to out.
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
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	out[path] = strings.Join(strings.Fields(text), " ")
}

// Doubts returns a warning for each author whose completions came from more than one responder.
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
