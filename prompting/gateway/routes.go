package gateway

import (
	"net/http"
	"net/url"
	"strings"
)

// call is one request of a client.
type call struct {
	w        http.ResponseWriter
	r        *http.Request
	exchange *Exchange
	path     string
	body     []byte
	form     form
}

// route is a place of an API.
type route struct {
	method, path string
	form         form // nil: the client's
	answer       func(*call) error
}

// routes are what the gateway answers. The path of a route that ends in a slash continues.
var routes = []route{
	{http.MethodPost, "v1/chat/completions", openAI, (*call).chat},
	{http.MethodPost, "v1/completions", openAI, (*call).text},
	{http.MethodPost, "v1/embeddings", openAI, (*call).embed},
	{http.MethodGet, "v1/models", nil, (*call).models},
	{http.MethodGet, "v1/models/", nil, (*call).model},
	{http.MethodPost, "v1/messages", anthropic, (*call).messages},
	{http.MethodPost, "v1/messages/count_tokens", anthropic, (*call).countTokens},
}

// routeOf returns the route of a path, which may have a slash too many at its end.
func routeOf(method, path string) (route, error) {
	var served []string
	wrong := false
	for _, to := range routes {
		rest, under := strings.CutPrefix(path, to.path)
		if fits := under && rest != "" && strings.HasSuffix(to.path, "/"); !fits && strings.TrimSuffix(path, "/") != to.path {
			if !strings.HasSuffix(to.path, "/") {
				served = append(served, "/"+to.path)
			}
			continue
		}
		if to.method == method {
			return to, nil
		}
		wrong = true
	}
	if wrong {
		return route{}, &refusal{Status: http.StatusMethodNotAllowed, Message: "this path does not answer " + method}
	}
	return route{}, &refusal{Status: http.StatusNotFound, Message: "there is no such path: assay answers " + strings.Join(served, ", ")}
}

// name returns the last part of a path, unescaped.
func (c *call) name(prefix string) (string, error) {
	name, err := url.PathUnescape(strings.TrimSuffix(strings.TrimPrefix(c.path, prefix), "/"))
	if err != nil {
		return "", bad("", "the path is not escaped as it must be")
	}
	return name, nil
}
