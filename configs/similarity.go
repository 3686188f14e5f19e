package configs

import "slices"

// The parts of an arm that may be chosen by the similarity of two texts.
const (
	SimilarValues       = "value retrieval"
	SimilarDescriptions = "column descriptions"
	SimilarColumns      = "SearchColumn"
	SimilarDemos        = "demonstrations"
)

// Similarities lists the parts of an arm that are chosen by similarity. Tables of such arms say by what it
// was measured: unless the arm states [embeddings] it is one of words and spelling, and the papers use embedding models.
// The method's and the parts' programs say what they look up.
func (known Known) Similarities(a Arm) (out []string) {
	var compares []string
	link, fix, choose := a.Parts()
	for _, id := range append(slices.Clone(link), fix, choose) {
		compares = append(compares, known.Part(id).Compares...)
	}
	for _, m := range a.Asked {
		for _, use := range m.Compares {
			if !m.Agent || use != SimilarColumns || !slices.Contains(a.Agent.OrPaper().Off, SimilarColumns) {
				compares = append(compares, use)
			}
		}
	}
	nearest := a.Exemplars.K > 0 && known.Chooses(a.Exemplars).Nearest
	for _, use := range []struct {
		name string
		made bool
	}{{SimilarValues, slices.Contains(compares, SimilarValues)}, {SimilarDescriptions, a.Schema.Descriptions > 0}, {SimilarColumns, slices.Contains(compares, SimilarColumns)}, {SimilarDemos, nearest || known.DrawsExamples(a)}} {
		if use.made {
			out = append(out, use.name)
		}
	}
	return out
}
