package demos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/script/jinja"
)

// Voice is a model that the factory asks. It is safe for concurrent use where Model is.
type Voice struct {
	Model  llm.Model // behind the ledger, so that no call is made twice
	Author llm.Author
	Params llm.Params
}

// ask fills a prompt and asks the model. The reason is empty where it gives an answer; an error is the context's, or one that
// every call would have. Samples are drawn by the demonstration's id and the purpose.
func (v Voice) ask(ctx context.Context, prompt *jinja.Template, id, purpose string, values map[string]any) (got llm.Response, reason, detail string, err error) {
	filled, err := prompt.Messages(values)
	if err != nil {
		return got, "", "", fmt.Errorf("%s %q: %w", purpose, id, err)
	}
	messages := make([]llm.Message, len(filled))
	for i, m := range filled {
		messages[i] = llm.Message{Role: llm.Role(m.Role), Text: m.Text}
	}
	params := v.Params
	if params.Temperature > 0 && params.FixedSeed == nil {
		seed := llm.DrawSeed(0, id, "demos", purpose)
		params.Seed = &seed
	}
	got, err = v.Model.Generate(ctx, llm.Request{Author: v.Author, Params: params, Messages: messages})
	var refused *llm.Failure
	switch {
	case errors.As(err, &refused):
		return got, "the model gives no answer", refused.Reason, nil
	case err != nil:
		return got, "", "", fmt.Errorf("%s %q: %w", purpose, id, err)
	}
	return got, "", "", nil
}

// The reasons for which an answer cannot be read.
const (
	noJSON    = "the answer holds no JSON object"
	otherJSON = "the answer is not the JSON that was asked for"
	cutOff    = "the answer is cut off: raise model.max_tokens"
)

// readJSON reads the one JSON object of an answer, which may stand in a fence or among words. The reason is empty where it has
// no key but those of out.
func readJSON(text string, out any) (reason, detail string) {
	from := strings.Index(text, "{")
	if from < 0 {
		return noJSON, clip(text)
	}
	in := json.NewDecoder(strings.NewReader(text[from:]))
	in.DisallowUnknownFields()
	if err := in.Decode(out); err != nil {
		return otherJSON, err.Error()
	}
	if rest := text[from+int(in.InputOffset()):]; another.MatchString(rest) {
		return otherJSON, "there is more than one object"
	}
	return "", ""
}

// another matches the beginning of a further object; braces among words are none.
var another = regexp.MustCompile(`\{\s*["}]`)

// clip is the beginning of a model's answer.
func clip(s string) string {
	r := []rune(oneLine(s))
	return string(r[:min(len(r), 80)])
}
