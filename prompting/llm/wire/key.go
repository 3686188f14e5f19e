// Package wire is what all providers behind HTTP share: an API key that cannot be printed, a transport that sends a
// request once and keeps the raw answer, and failures that say whether a repetition can help.
//
// A provider puts a [Call] into the context, its HTTP client goes through the [Transport], and what came back is
// decoded from the Call's body; [Key.Transport], [Key.Refused] and [Key.Decode] turn trouble into errors. The package
// must never show a key (errors are text from which it is removed), never retry, and never follow a redirect.
package wire

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"assay/configs"
	"assay/configs/input"
)

// Key is an API key. A closure holds it, so that printing the value, or a struct that contains it, shows no part of it.
// The zero Key means no key, which local servers accept.
type Key struct {
	reveal func() string
	redact func(text string) string // nil for no key, and for a placeholder
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
	return Key{reveal: func() string { return text }, redact: redactor(text)}, nil
}

// ReadKey returns the key from the file, if one is named, or else from the environment variable env, without
// surrounding white space. If neither is named there is no key. A named source that is missing or empty is an error
// that names it.
func ReadKey(env, file string) (string, error) {
	if file != "" {
		b, err := input.Text(file, input.Key)
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
		return "", fmt.Errorf("wire: read key: the environment variable %s is not set: set it, or name another by key_env, or a file by key_file, beside the model", env)
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

// BaseURL checks a server's address and returns its canonical spelling (the host in lower case, no port that the scheme
// implies, no slash at the end); fallback if it is empty. What [configs.Address] refuses is an
// error.
func BaseURL(text, fallback string) (string, error) {
	if text == "" {
		text = fallback
	}
	if err := configs.Address(text); err != nil {
		return "", fmt.Errorf("the base URL %w", err)
	}
	u, err := url.Parse(text)
	if err != nil { // unreachable after Address; the cause would quote the address
		return "", errors.New("the base URL cannot be parsed")
	}
	port := u.Port()
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return strings.TrimRight(u.String(), "/"), nil
}
