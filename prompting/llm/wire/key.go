// Package wire is what all providers behind HTTP share: an API key that cannot be printed, a transport that sends a
// request once and keeps the raw answer, and failures that say whether a repetition can help.
//
// A provider puts a [Call] into the context, its HTTP client goes through the [Transport], and what came back is
// decoded from the Call's body; [Key.Transport], [Key.Refused] and [Key.Decode] turn trouble into errors. The package
// must never show a key (errors are text from which it is removed), never retry, and never follow a redirect.
package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Key is an API key. A closure holds it, so that printing the value, or a struct that contains it, shows no part of it.
// The zero Key means no key, which local servers accept.
type Key struct {
	reveal func() string
}

// NewKey checks that the text is valid in an HTTP header. The error does not contain it.
func NewKey(text string) (Key, error) {
	if text == "" {
		return Key{}, nil
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return Key{}, errors.New("the key has a space, a line end or a character outside ASCII: check the variable or the file")
		}
	}
	return Key{reveal: func() string { return text }}, nil
}

// ReadKey returns the key from the file, if one is named, or else from the environment variable env, without
// surrounding white space. If neither is named there is no key. A named source that is missing or empty is an error
// that names it.
func ReadKey(env, file string) (string, error) {
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("wire: read key: %w", err)
		}
		text := strings.TrimSpace(string(b))
		if text == "" {
			return "", fmt.Errorf("wire: read key: the file %q is empty", file)
		}
		return text, nil
	}
	if env == "" {
		return "", nil
	}
	text := strings.TrimSpace(os.Getenv(env))
	if text == "" {
		return "", fmt.Errorf("wire: read key: the environment variable %s is not set: set it, or name another in model.key_env, or a file in model.key_file", env)
	}
	return text, nil
}

// Text returns the key itself, to be used for the header only; "" for no key.
func (k Key) Text() string {
	if k.reveal == nil {
		return ""
	}
	return k.reveal()
}

// minRedact is the length below which a key is a placeholder ("x", "EMPTY"); redacting it would garble ordinary words.
const minRedact = 6

// Redact replaces the key everywhere in a text, as it is and as URLs and JSON write it.
func (k Key) Redact(text string) string {
	if len(k.Text()) < minRedact {
		return text
	}
	for _, form := range k.forms() {
		text = strings.ReplaceAll(text, form, "[key]")
	}
	return text
}

// forms returns the key as it is, and as it is written in a URL and in a string of JSON, the longest first: none is then
// found within another. Servers that quote a request in an error that is cut off leave JSON that cannot be decoded.
func (k Key) forms() []string {
	key := k.Text()
	html, _ := json.Marshal(key) // a string is always written
	quoted := string(html[1 : len(html)-1])
	plain := strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(quoted)
	list := []string{key, url.QueryEscape(key), url.PathEscape(key), quoted, plain, strings.ReplaceAll(quoted, "/", `\/`), strings.ReplaceAll(plain, "/", `\/`)}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(list)
}

// BaseURL checks a server's address and returns its canonical spelling (the host in lower case, no port that the scheme
// implies, no slash at the end); fallback if it is empty. User information and a query are refused, because the address
// is written to configurations, ledgers and run folders, where no secret may be.
func BaseURL(text, fallback string) (string, error) {
	if text == "" {
		text = fallback
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("the base URL cannot be parsed") // without the cause, which quotes the URL and any password in it
	case u.User != nil:
		return "", errors.New("the base URL holds a user or password: give the key by environment variable or file")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the base URL holds a query or fragment: give the address alone, and the key by environment variable or file")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", errors.New("the base URL is not an http or https address")
	}
	port := u.Port()
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	return strings.TrimRight(u.String(), "/"), nil
}
