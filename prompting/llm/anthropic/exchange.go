package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"

	sdk "github.com/anthropics/anthropic-sdk-go"
)

// post sends a JSON body once, as exchange does.
func (c *Client) post(ctx context.Context, call *wire.Call, path string, body []byte) error {
	return c.exchange(ctx, call, http.MethodPost, path, bytes.NewReader(body), int64(len(body)))
}

// exchange sends a request once to a path below the base URL, with a body of size bytes or none, and keeps the answer in call,
// whose Done is the caller's to call. An answer that is no 2xx is an error.
func (c *Client) exchange(ctx context.Context, call *wire.Call, method, path string, body io.Reader, size int64) error {
	req, err := http.NewRequestWithContext(wire.With(ctx, call), method, c.base+path, body)
	if err != nil {
		return errors.New(c.key.Clip(err.Error()))
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err == nil {
		err = resp.Body.Close()
	}
	return c.outcome(ctx, call, err)
}

// outcome returns the error of a call without a 2xx answer. sent is the error of a request that did not go out.
func (c *Client) outcome(ctx context.Context, call *wire.Call, sent error) error {
	if err := c.key.Sent(ctx, call, sent); err != nil || call.Status/100 == 2 {
		return err
	}
	return c.refused(call, errorOf(call.Body))
}

// CountTokens returns how many tokens the request's prompt has, with system prompt, tools and earlier turns. The call is
// free; the API has a limit of its own on how many there are per minute.
func (c *Client) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	n, err := c.count(ctx, r)
	return n, c.key.Error(named(err, "count tokens with", r.Model))
}

func (c *Client) count(ctx context.Context, r llm.Request) (int, error) {
	p, err := c.params(r)
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(sdk.MessageCountTokensParams{Model: p.Model, Messages: p.Messages, Thinking: p.Thinking,
		OutputConfig: p.OutputConfig, System: sdk.MessageCountTokensParamsSystemUnion{OfTextBlockArray: p.System}, Tools: counted(p.Tools)})
	if err != nil {
		return 0, err
	}
	call := &wire.Call{}
	defer call.Done()
	if err := c.post(ctx, call, "/v1/messages/count_tokens", body); err != nil {
		return 0, err
	}
	var answer struct {
		Tokens *int `json:"input_tokens"`
	}
	if err := c.key.Decode(call, &answer); err != nil {
		return 0, err
	}
	if answer.Tokens == nil {
		return 0, &llm.Failure{Reason: wire.Malformed, Err: errors.New("no input_tokens")}
	}
	return *answer.Tokens, nil
}

// counted returns the tools of a request as a request to count tokens has them.
func counted(tools []sdk.ToolUnionParam) (out []sdk.MessageCountTokensToolUnionParam) {
	for _, t := range tools {
		out = append(out, sdk.MessageCountTokensToolUnionParam{OfTool: t.OfTool})
	}
	return out
}
