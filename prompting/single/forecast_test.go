package single

import (
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
)

func TestForecast(t *testing.T) {
	for _, name := range configs.ChoicesOf(kinds).IDs() {
		methodtest.Forecast(t, name, func(d prompting.Deps, a configs.Arm, seed int64) (prompting.Method, error) {
			return New(name, d, a, seed)
		}, func(llm.Request) (string, error) { return "SELECT 1", nil })
	}
}

// TestSharedPrompts: samples share a prompt, unless a shuffle sets them apart.
func TestSharedPrompts(t *testing.T) {
	for _, shuffle := range []bool{false, true} {
		arm := methodtest.Arm("standard", "apidocs", 0)
		arm.Model.Samples, arm.Schema.Shuffle = 12, shuffle
		m, err := New("standard", prompting.Deps{Model: &llm.Scripted{}}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.(prompting.Forecaster).Forecast(methodtest.Question(), func(llm.Request) (llm.Response, bool, error) { return llm.Response{}, false, nil })
		if err != nil || len(o.Known) != 12 || o.Known[0].Shared {
			t.Fatalf("%+v, %v", o, err)
		}
		shared := 0
		for _, k := range o.Known {
			if k.Shared {
				shared++
			}
		}
		if !shuffle && shared != 11 || shuffle && shared == 11 {
			t.Errorf("shuffle %v: %d of 11 share the prompt before", shuffle, shared)
		}
	}
}
