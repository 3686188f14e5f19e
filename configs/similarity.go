package configs

import "slices"

// The parts of an arm that may be chosen by the similarity of two texts.
const (
	SimilarValues       = "value retrieval"
	SimilarDescriptions = "column descriptions"
	SimilarColumns      = "SearchColumn"
	SimilarDemos        = "demonstrations"
)

// Similarities lists the parts of an arm that are chosen by similarity. Tables of such arms have a warning, because the
// similarity here is one of spelling and the papers use embedding models.
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
