package iterate

import (
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
)

func TestForecast(t *testing.T) {
	for what, reduction := range map[string]string{
		"three":  `we need to know: "Which trips have more than 100 guests?", "Which routes do they follow?", "A?".`,
		"none":   "I cannot split this.",
		"twelve": `we need to know: "` + strings.Join(strings.Split("abcdefghijkl", ""), `?", "`) + `?".`,
	} {
		t.Run(what, func(t *testing.T) {
			methodtest.Forecast(t, "least-to-most", func(d prompting.Deps, a configs.Arm, seed int64) (prompting.Method, error) {
				return New("least-to-most", d, a, seed)
			}, func(r llm.Request) (string, error) {
				if strings.HasSuffix(r.Messages[1].Text, "\nA:") {
					return "SELECT count(*) FROM trip WHERE guests > 100", nil
				}
				return reduction, nil
			})
		})
	}
}
