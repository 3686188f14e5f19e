package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// endpoint is what differs between the two ways to ask for a completion. The rest of requests, answers and errors is one.
type endpoint struct {
	path  string
	write func(r llm.Request, body map[string]any) error // adds the prompt, the tools, and the wish for log-probabilities
	text  func(ch choice) (string, error)                // of an answer
	hint  string                                         // what else a 404 may mean
}

// endpoints has a row per value of [llm.Params].API.
var endpoints = map[string]endpoint{
	"":              {"/chat/completions", writeChat, chatText, ""},
	llm.Completions: {"/completions", writePlain, plainText, `; a server may lack plain completions: model.api = "chat" asks for a conversation`},
}

func writeChat(r llm.Request, body map[string]any) (err error) {
	if body["messages"], err = messages(r.Messages); err != nil {
		return err
	}
	if r.Params.Logprobs {
		body["logprobs"] = true
	}
	if len(r.Tools) == 0 {
		return nil
	}
	body["tools"] = functions(r.Tools)
	return llm.CheckTools(r.Tools)
}

// writePlain asks for log-probabilities by the number of alternatives to report for each token. It is 1, because
// llama.cpp takes 0 to mean none; the tokens that were drawn are reported beside the alternatives.
func writePlain(r llm.Request, body map[string]any) (err error) {
	if r.Params.Logprobs {
		body["logprobs"] = 1
	}
	body["prompt"], err = r.Plain()
	return err
}

func chatText(ch choice) (string, error) { return string(ch.Message.Content), nil }

func plainText(ch choice) (text string, err error) {
	if len(ch.Text) == 0 { // as for a conversation, no text is an empty one
		return "", nil
	}
	if json.Unmarshal(ch.Text, &text) != nil {
		return "", errors.New("the text is no text")
	}
	return text, nil
}

// hinted adds the endpoint's hint to the error of an address that the server does not know.
func (e endpoint) hinted(call *wire.Call, err error) error {
	if e.hint == "" || call.Status != http.StatusNotFound && call.Status != http.StatusMethodNotAllowed {
		return err
	}
	return fmt.Errorf("%w%s", err, e.hint)
}

// logprobs are the log-probabilities of a choice. Conversations have an object per token, and so have llama.cpp's plain
// completions; OpenAI's and vLLM's have a list of numbers, with null for a token that has none.
type logprobs struct {
	Content json.RawMessage `json:"content"`
	Tokens  json.RawMessage `json:"token_logprobs"`
}

// maxLogprobs is more tokens than any choice has.
const maxLogprobs = 1 << 18

// logprob adds up the log-probabilities; nil if there are none, or one is of another form.
func (ch choice) logprob() *llm.Logprob {
	var l llm.Logprob
	if given := ch.Logprobs.v; given != nil {
		tokens, err := wire.Whole[struct{ Logprob float64 }](given.Content, maxLogprobs, "tokens")
		numbers, errNumbers := wire.Whole[*float64](given.Tokens, maxLogprobs, "tokens")
		if err != nil || errNumbers != nil {
			return nil
		}
		for _, t := range tokens {
			l.Total += t.Logprob
			l.Tokens++
		}
		for _, t := range numbers {
			if t != nil {
				l.Total += *t
				l.Tokens++
			}
		}
	}
	if l.Tokens == 0 || math.IsInf(l.Total, 0) {
		return nil
	}
	return &l
}
