package configs

import "slices"

// What of an arm may be chosen by how near two texts are to each other.
const (
	SimilarValues       = "value retrieval"
	SimilarDescriptions = "column descriptions"
	SimilarColumns      = "SearchColumn"
	SimilarDemos        = "demonstrations"
)

// Similarities lists what of an arm is chosen by similarity.
func (known Known) Similarities(a Arm) (out []string) {
	searches := a.Any(func(m Method) bool { return m.Agent }) && !slices.Contains(a.Agent.OrPaper().Off, SimilarColumns)
	nearest := a.Exemplars.K > 0 && known.Strategy(a.Exemplars.Strategy).Nearest
	for _, use := range []struct {
		name string
		made bool
	}{{SimilarValues, a.Values.Use}, {SimilarDescriptions, a.Schema.Descriptions > 0}, {SimilarColumns, searches}, {SimilarDemos, nearest || known.DrawsExamples(a)}} {
		if use.made {
			out = append(out, use.name)
		}
	}
	return out
}
