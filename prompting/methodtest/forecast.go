package methodtest

import (
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// echoFrame bounds, in bytes, what a method writes around a completion that it repeats in a prompt.
const echoFrame = 16

// Forecast checks what every [prompting.Forecaster] promises: whatever part of the completions is held, the calls that
// Answer then makes lie within the forecast, and with all of them held the forecast is what Answer asks.
func Forecast(t *testing.T, method string, make New, reply func(llm.Request) (string, error)) {
	for _, samples := range []int{1, 3} {
		for _, shuffle := range []bool{false, true} {
			arm := Arm(method, "createtable", 2)
			arm.Model.Samples, arm.Schema.Shuffle = samples, shuffle
			ForecastArm(t, Question(), arm, make, reply)
		}
	}
}

// ForecastArm is Forecast for one question and arm.
func ForecastArm(t *testing.T, q prompting.Question, arm configs.Arm, make New, reply func(llm.Request) (string, error)) {
	t.Helper()
	s := suite{T: t, method: arm.Method, make: make}
	model := &llm.Scripted{Reply: reply}
	m, err := s.make(prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: Pool(12)}, arm, 1)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := m.Answer(s.Context(), q); err != nil {
		s.Fatal(err)
	}
	asked := model.Asked()
	longest, replies := 0, map[string]string{}
	for _, r := range asked {
		text, err := reply(r)
		if err != nil {
			s.Fatal(err)
		}
		longest = max(longest, len(text))
		replies[r.Key()] = text
	}
	for n := range len(asked) + 1 {
		known := map[string]bool{}
		for _, r := range asked[:n] {
			known[r.Key()] = true
		}
		o, err := m.(prompting.Forecaster).Forecast(q, func(r llm.Request) (llm.Response, bool, error) {
			return llm.Response{Text: replies[r.Key()]}, known[r.Key()], nil
		})
		if err != nil {
			s.Fatal(err)
		}
		s.within(o, asked, n, longest)
	}
	if got := model.Asked(); len(got) != len(asked) {
		s.Errorf("the forecasts asked %d times", len(got)-len(asked))
	}
}

// within checks a forecast that held the first n of the calls asked.
func (s suite) within(o prompting.Outlook, asked []llm.Request, n, longest int) {
	s.Helper()
	at := map[string]int{}
	for i, r := range asked {
		at[r.Key()] = i
	}
	var keys, all []string
	forecast := map[string]bool{}
	for _, k := range o.Known {
		i, ok := at[k.Request.Key()]
		if !ok || k.Held != (i < n) || k.Stage == "" {
			s.Errorf("holding %d of %d: forecast call %+v (asked: %v)", n, len(asked), k, ok)
		}
		forecast[k.Request.Key()] = true
		keys = append(keys, k.Request.Key())
	}
	rest, bytes := 0, 0
	for _, r := range asked {
		all = append(all, r.Key())
		if !forecast[r.Key()] {
			rest++
			bytes += size(r.Messages)
		}
	}
	var low, high, least, most int
	for _, c := range o.Open {
		if len(c.Least) < max(c.Low, 1) || len(c.Bound()) < max(c.Low, 1) || c.High < c.Low || !forecast[c.After] {
			s.Errorf("open calls %+v", c)
			continue
		}
		low, high = low+c.Low, high+c.High
		for i := range c.Low {
			least += size(c.Least[i])
			most += size(c.Bound()[i])
		}
		most += (c.High-c.Low)*size(c.Bound()[len(c.Bound())-1]) + c.Echoes*(longest+echoFrame)
	}
	if rest < low || rest > high || bytes < least || bytes > most {
		s.Errorf("holding %d of %d: %d more calls of %d bytes, forecast %d..%d of %d..%d", n, len(asked), rest, bytes, low, high, least, most)
	}
	if n == len(asked) {
		if d := cmp.Diff(all, keys); d != "" || len(o.Open) > 0 {
			s.Errorf("with all held, %d open (-asked +forecast):\n%s", len(o.Open), d)
		}
	}
}

func size(messages []llm.Message) (n int) {
	for _, m := range messages {
		n += len(m.Text)
	}
	return n
}
