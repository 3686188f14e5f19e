package methods_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/llm"
	"assay/prompting/llm/gemini"
	"assay/prompting/llm/openai"
)

// wired are the steps that the loopback servers take, whatever they are asked.
var wired = []struct{ name, args string }{
	{"FindShortestPath", `{"start": "customers", "end": ["orders"]}`},
	{"ExecuteSQL", `{"sql": "SELECT count(*) FROM bakers"}`},
	{"Done", `{}`},
}

// serve answers each request by the step after those that its body holds results of, and remembers the bodies.
func serve(t *testing.T, mark string, answer func(id int, name, args string) string) (string, *[]string) {
	t.Helper()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // the list of models, which this server has not
			http.NotFound(w, r)
			return
		}
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(b))
		n := min(strings.Count(string(b), mark), len(wired)-1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer(n, wired[n].name, wired[n].args))
	}))
	t.Cleanup(s.Close)
	return s.URL, &bodies
}

// TestLoopback holds a dialogue by function calling over the wire of each provider.
func TestLoopback(t *testing.T) {
	w := newStock(t)
	hold := func(what string, model llm.Model, err error, bodies *[]string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		m, err := generator(w.deps(model), agentArm(func(a *configs.Agent) { a.Native = true }), 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(context.Background(), w.question(t, "bakery_orders", "How many bakers are there?"))
		if err != nil || len(a.Trace) != 3 || a.Candidates[0].SQL != "SELECT count(*) FROM bakers" || a.Candidates[0].Rule != "last-sql" {
			t.Fatalf("%s: %+v, %v", what, a, err)
		}
		last := (*bodies)[2]
		for _, want := range []string{"customers.customer_id = orders.customer_id", "[(6,)]", "SearchColumn", "Tables of the database bakery_orders"} {
			if !strings.Contains(last, want) {
				t.Errorf("%s: the third request has no %q:\n%s", what, want, last)
			}
		}
	}
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }

	url, bodies := serve(t, `"role":"tool"`, func(id int, name, args string) string {
		return fmt.Sprintf(`{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,`+
			`"tool_calls":[{"id":"call_%d","type":"function","function":{"name":%q,"arguments":%s}}]}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`, id, name, quoted(args))
	})
	o, err := openai.New(openai.Options{BaseURL: url})
	hold("openai", o, err, bodies)

	url, bodies = serve(t, `"functionResponse"`, func(id int, name, args string) string {
		return fmt.Sprintf(`{"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"functionCall":{"name":%q,"args":%s}}]}}],`+
			`"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":7},"modelVersion":"m"}`, name, args)
	})
	g, err := gemini.New(context.Background(), gemini.Options{Key: "k", BaseURL: url})
	hold("gemini", g, err, bodies)
}
