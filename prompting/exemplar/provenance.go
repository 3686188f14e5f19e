package exemplar

import "strings"

// Who can have made an annotation; a model's is ByModel with its name.
const (
	Hand = "hand" // a person, also where nothing is stated
	Rule = "rule" // derived from the SQL
)

// ByModel is the provenance of what a model drafted: "model " and its name, such as "model openai/gpt-4o".
func ByModel(name string) string { return "model " + name }

// Provenance says who made each kind of annotation: [Hand] or nothing, [Rule], or [ByModel]. Columns are those of the steps.
type Provenance struct {
	CoT      string `toml:"cot" json:",omitempty"`
	Steps    string `toml:"steps" json:",omitempty"`
	Columns  string `toml:"columns" json:",omitempty"`
	Division string `toml:"division" json:",omitempty"`
	Plan     string `toml:"plan" json:",omitempty"`
	Dialogue string `toml:"dialogue" json:",omitempty"`

	Naturalness string `toml:"naturalness" json:",omitempty"` // who said how natural the steps are
}

// fields lists the provenances with the names that annotation files have for them, in the order in which they are written.
func (p *Provenance) fields() []struct {
	Name string
	By   *string
} {
	return []struct {
		Name string
		By   *string
	}{{"cot", &p.CoT}, {"steps", &p.Steps}, {"columns", &p.Columns}, {"division", &p.Division}, {"plan", &p.Plan}, {"dialogue", &p.Dialogue},
		{"naturalness", &p.Naturalness}}
}

// Of returns who made an annotation of that name (cot, steps, columns, division, plan, dialogue, naturalness), Hand where
// nothing is stated.
func (p Provenance) Of(name string) string {
	for _, f := range p.fields() {
		if f.Name == name && *f.By != "" {
			return *f.By
		}
	}
	return Hand
}

// Makers counts the demonstrations that have an annotation, by its name (as [Provenance.Of] has it, but for columns and
// naturalness) and by who made it.
func Makers(demos []Demo) map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, name := range []string{"cot", "steps", "division", "plan", "dialogue"} {
		f, err := FeatureOf(name)
		for _, d := range demos {
			if err != nil || !f.Has(d) {
				continue
			}
			if out[name] == nil {
				out[name] = map[string]int{}
			}
			out[name][d.By.Of(name)]++
		}
	}
	return out
}

// ByPerson reports whether a person made an annotation of the demonstration.
func (d Demo) ByPerson() bool {
	for _, by := range Makers([]Demo{d}) {
		if by[Hand] > 0 {
			return true
		}
	}
	return false
}

// ByHand returns the provenance with the annotation of that name made a person's.
func (p Provenance) ByHand(name string) Provenance {
	for _, f := range p.fields() {
		if f.Name == name {
			*f.By = ""
		}
	}
	return p
}

// faults lists the provenances that are none.
func (p Provenance) faults() (out []string) {
	for _, f := range p.fields() {
		model, ok := strings.CutPrefix(*f.By, "model ")
		if *f.By != "" && *f.By != Hand && *f.By != Rule && (!ok || strings.TrimSpace(model) == "") {
			out = append(out, "by."+f.Name+` is not "hand", "rule" or "model NAME"`)
		}
	}
	return out
}
