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
func (a Arm) Similarities() (out []string) {
	interactive := slices.Contains(a.Asks(), Interactive) && !slices.Contains(a.Agent.OrPaper().Off, SimilarColumns)
	nearest := a.Exemplars.K > 0 && a.Exemplars.Strategy == "similarity"
	examples := slices.Contains(a.Asks(), "os") && a.Synthetic.Source == "train"
	for _, use := range []struct {
		name string
		made bool
	}{{SimilarValues, a.Values.Use}, {SimilarDescriptions, a.Schema.Descriptions > 0}, {SimilarColumns, interactive}, {SimilarDemos, nearest || examples}} {
		if use.made {
			out = append(out, use.name)
		}
	}
	return out
}
