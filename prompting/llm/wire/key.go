// Package wire is what every provider behind HTTP shares: a key that cannot be printed, an answer of bounded size, and
// a failure that says whether asking again can help.
package wire

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Key is an API key. It is held in a closure, so that printing the value, or any struct around it, shows no part of it.
// The zero Key is no key, which local servers take.
type Key struct {
	reveal func() string
}

// NewKey checks that the text can stand in a header. The error does not show it.
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

// ReadKey returns the key that the environment variable env or the file holds: the file where one is named, else the
// variable. Surrounding white space is cut. Neither named is no key; one named and empty or missing is an error that
// names it.
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

// Text returns the key itself, for the header alone; "" for no key.
func (k Key) Text() string {
	if k.reveal == nil {
		return ""
	}
	return k.reveal()
}

// minRedact is the length below which a key is a placeholder ("x", "EMPTY"), not worth cutting out of words.
const minRedact = 6

// Redact replaces the key wherever it stands in a text, as it is or as a URL writes it.
func (k Key) Redact(text string) string {
	key := k.Text()
	if len(key) < minRedact {
		return text
	}
	text = strings.ReplaceAll(text, key, "[key]")
	return strings.ReplaceAll(text, url.QueryEscape(key), "[key]")
}

// BaseURL checks a server's address and returns the one spelling that it is known by (the host in lower case, no port
// that the scheme implies, no slash at its end); fallback where it is empty. User information and a query are refused: an
// address stands in configurations, ledgers and run folders, and secrets do not.
func BaseURL(text, fallback string) (string, error) {
	if text == "" {
		text = fallback
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("the base URL cannot be parsed") // the cause would quote it, and a password in it
	case u.User != nil:
		return "", errors.New("the base URL holds a user or password: give the key by environment variable or file")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the base URL holds a query or fragment: give the address alone, and the key by environment variable or file")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", errors.New("the base URL is no http or https address")
	}
	port := u.Port()
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	return strings.TrimRight(u.String(), "/"), nil
}
