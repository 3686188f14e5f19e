package configs

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// dated is the one query that an address may have: the version of the API by its date, which Azure's older addresses need.
var dated = regexp.MustCompile(`^api-version=\d{4}-\d{2}-\d{2}(-preview)?$`)

// Address checks the address of a server. It is stored in experiments, ledgers and run folders and shown in reports, so it
// may hold no user, password or fragment, no query but a version of the API, nor a setting in its path (";key=..."). The
// error does not repeat it.
func Address(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https", strings.ContainsFunc(text, unicode.IsSpace):
		return errors.New("is no http or https address, such as http://127.0.0.1:8080/v1")
	case u.User != nil || strings.Contains(text, "#") || strings.Contains(text, "?") && !dated.MatchString(u.RawQuery) || strings.ContainsAny(u.Path, "@=;"):
		return errors.New("holds a user, a password, a query, a fragment or a setting: state the address alone, and the key by key_env or key_file")
	}
	return nil
}

// The parts of an address that may be secret: what stands before the host, and settings that are named as keys are.
var (
	credentials = regexp.MustCompile(`(//)[^/?#\s"'@]*@|(://)(?:[^/\n"']*|[^\s"']*)@`)
	settings    = regexp.MustCompile(`(?i)([?&;#/](?:[a-z0-9]+[_.-])*(?:key|apikey|token|secret|password|passwd|auth|authorization|signature|sig|code|access)=)[^\s&;#"'/]+`)
)

// Discreet returns a text without the secrets of the addresses in it, for errors, which quote what a person wrote.
func Discreet(text string) string {
	return settings.ReplaceAllString(credentials.ReplaceAllString(text, "${1}${2}[hidden]@"), "${1}[hidden]")
}
