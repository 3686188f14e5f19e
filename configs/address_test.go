package configs

import (
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	check := func(text string, ok bool) {
		t.Helper()
		err := Address(text)
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%q is repeated: %v", text, err)
		}
	}
	check("http://127.0.0.1:8080/v1", true)
	check("https://host/openai/deployments/m-1/", true)
	check("http://[::1]:80", true)
	for _, bad := range []string{"", "host", "ftp://host", "http://", "http://user:hush@host", "http://hush@host", "http://host/v1?key=hush", "http://host/?",
		"http://host/v1#hush", "http://host/#", "http://host/v1;key=hush", "http://host/key=hush/v1", "http://host/user:hush@x", "http://us er:hush@host",
		"http://user:hush%zz@host", "http://host/%40hush", "http://host/a\nb", "http://host/v1%3Fkey=hush"} {
		check(bad, false)
	}
}

func TestDiscreet(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := Discreet(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	check(`unknown "http://user:hush@host/v1"`, `unknown "http://[hidden]@host/v1"`)
	check("http://us er:hu sh@host/v1: no", "http://[hidden]@host/v1: no")
	check("https://h/v1?api_key=hush&n=1&token=hush and more", "https://h/v1?api_key=[hidden]&n=1&token=[hidden] and more")
	check("--set base_url=http://h/v1;KEY=hush: unknown", "--set base_url=http://h/v1;KEY=[hidden] unknown")
	check("//h/x?access_token=hush#sig=hush", "//h/x?access_token=[hidden]#sig=[hidden]")
	check("'http://user:hu/sh@host/v1'", "'http://[hidden]@host/v1'")
	check("SELECT a // b\n@c", "SELECT a // b\n@c")
	check("key=1, a?b, me@example.org", "key=1, a?b, me@example.org")
}
