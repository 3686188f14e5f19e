package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/prompting/llm"
)

const secret = "sk-secret+1/2="

func mustKey(t testing.TB, text string) Key {
	t.Helper()
	k, err := NewKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyCannotBePrinted(t *testing.T) {
	holder := struct{ Key Key }{mustKey(t, secret)}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if got := fmt.Sprintf(format, holder); strings.Contains(got, secret) || strings.Contains(got, fmt.Sprintf("%x", secret)) {
			t.Errorf("%s shows %s", format, got)
		}
	}
	if b, err := json.Marshal(holder); err != nil || bytes.Contains(b, []byte("secret")) {
		t.Errorf("JSON %s, %v", b, err)
	}
	if holder.Key.Text() != secret || (Key{}).Text() != "" {
		t.Error("the key is lost")
	}
}

func TestRedact(t *testing.T) {
	check := func(key, in, want string) {
		t.Helper()
		if got := mustKey(t, key).Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	check(secret, "a "+secret+" b "+secret, "a [key] b [key]")
	check(secret, "?key=sk-secret%2B1%2F2%3D&x", "?key=[key]&x")
	check(secret, `?key=sk\-secret%252b1\u002f2&amp;#61;`, "?key=[key]")
	check(secret, "&#115;k-secret&#x2B;1/2=", "[key]")
	check(secret, `{\"a\": \"sk-secret+1\\\/2=\"}`, `{\"a\": \"[key]\"}`)
	check(secret, "\\sk-secret 100 % & more \\", "\\sk-secret 100 % & more \\") // the beginning alone
	check("sk-live%41\\x&amp;", `sk-live%41\x&amp;`, "[key]")
	check("x", "a text of x", "a text of x") // a placeholder, no secret
	check("sk-a&b/c<d", `{"error": "sk-a\u0026b/c\u003cd", "url": "sk-a&b\/c<d sk-a\u0026b\/c\u003cd sk-a&b%2Fc%3Cd"}`, `{"error": "[key]", "url": "[key] [key] [key]"}`)
	check("", "text", "text")
	long := strings.Repeat("word ", 79) + secret // the cut falls into the key
	if got := mustKey(t, secret).Clip(long); strings.Contains(got, "sk-") {
		t.Errorf("clipped to %q", got)
	}
	if got := (Key{}).Clip(" a\n\tb\xff "); got != "a b?" {
		t.Errorf("clipped to %q", got)
	}
}

func TestNewKeyRefusesWithoutShowing(t *testing.T) {
	for _, bad := range []string{"secret\n", "sec ret", "secrét", "sec\x00ret"} {
		if _, err := NewKey(bad); err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("ASSAY_TEST_KEY", " from-env\n")
	t.Setenv("ASSAY_TEST_EMPTY", "")
	check := func(env, file, want, wantErr string) {
		t.Helper()
		got, err := ReadKey(env, file)
		if got != want || (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%q, %q: %q, %v", env, file, got, err)
		}
	}
	check("", "", "", "")
	check("ASSAY_TEST_KEY", "", "from-env", "")
	check("ASSAY_TEST_KEY", write("key", "from-file\r\n"), "from-file", "")
	check("ASSAY_TEST_EMPTY", "", "", "ASSAY_TEST_EMPTY")
	check("ASSAY_TEST_MISSING", "", "", "ASSAY_TEST_MISSING")
	check("", write("empty", "\n"), "", "empty")
	check("ASSAY_TEST_KEY", filepath.Join(dir, "missing"), "", "missing")
}

func TestBaseURL(t *testing.T) {
	check := func(in, want, wantErr string) {
		t.Helper()
		got, err := BaseURL(in, "https://default/v1")
		if got != want || (err == nil) != (wantErr == "") || err != nil && (!strings.Contains(err.Error(), wantErr) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	check("", "https://default/v1", "")
	check("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1", "")
	check("HTTP://LocalHost:80/V1//", "http://localhost/V1", "")
	check("https://host:443", "https://host", "")
	check("https://host:80/v1", "https://host:80/v1", "")
	check("http://[::1]:80/v1", "http://[::1]/v1", "")
	check("http://user:hunter2@host/v1", "", "password")
	check("http://host/v1?key=hunter2", "", "query")
	check("http://user:hunter2@host:bad/", "", "no http or https")
	check("127.0.0.1:8080", "", "no http or https")
	check("localhost:8080", "", "no http or https")
	check("ftp://host", "", "no http or https")
}

func TestRetryAfter(t *testing.T) {
	local := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	check := func(want time.Duration, pairs ...string) {
		t.Helper()
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		if got := retryAfter(h, local); got != want {
			t.Errorf("%v: %v, want %v", pairs, got, want)
		}
	}
	check(0)
	check(7*time.Second, "Retry-After", "7")
	check(1500*time.Millisecond, "Retry-After", "1.5")
	check(250*time.Millisecond, "retry-after-ms", "250", "Retry-After", "1")
	check(90*time.Second, "Retry-After", "Fri, 01 May 2026 12:01:30 GMT")
	check(30*time.Second, "Retry-After", "Fri, 01 May 2026 12:01:30 GMT", "Date", "Fri, 01 May 2026 12:01:00 GMT")
	check(30*time.Second, "Retry-After", "Thu, 01 Jan 2020 00:00:30 GMT", "Date", "Thu, 01 Jan 2020 00:00:00 GMT") // its clock is years behind
	check(0, "Retry-After", "Fri, 01 May 2026 11:00:00 GMT")
	check(0, "Retry-After", "-5")
	check(24*time.Hour, "Retry-After", "1000000000")
	check(24*time.Hour, "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT")
	check(0, "Retry-After", "Mon, 01 Jan 0001 00:00:00 GMT")
	check(0, "retry-after-ms", "-1e300")
	check(0, "Retry-After", "NaN")
	check(0, "Retry-After", "soon")
	check(24*time.Hour, "Retry-After", "1e300")
	check(24*time.Hour, "Retry-After", "Inf")
}

// post sends one request through a Transport.
func post(t *testing.T, tr *Transport, h http.HandlerFunc) (*Call, []byte, error) {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	call := &Call{}
	req, err := http.NewRequestWithContext(With(context.Background(), call), "POST", s.URL, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.Client(nil).Do(req)
	if err != nil {
		return call, nil, err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 {
		t.Errorf("the SDK was shown status %d", resp.StatusCode)
	}
	return call, body, nil
}

func TestTransportKeepsTheAnswerFromTheSDK(t *testing.T) {
	call, shown, err := post(t, &Transport{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Say", "hello")
		w.WriteHeader(503)
		io.WriteString(w, "the words")
	})
	if err != nil || string(shown) != "{}" {
		t.Fatalf("the SDK was shown %q, %v", shown, err)
	}
	if call.Status != 503 || string(call.Body) != "the words" || call.Header.Get("X-Say") != "hello" || call.Err != nil {
		t.Errorf("call %+v", call)
	}
}

func TestTransportBoundsTheAnswer(t *testing.T) {
	check := func(size int, ok bool) {
		t.Helper()
		call, _, err := post(t, &Transport{}, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.Repeat("x", size))
		})
		defer call.Done()
		if (err == nil) != ok {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if ok {
			return
		}
		var f *llm.Failure
		if err := (Key{}).Transport(call.Err); !errors.As(err, &f) || f.Reason != TooLarge || f.Retryable {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	check(1000, true)
	check(free+1, true)
	check(maxAnswer, true)
	check(maxAnswer+1, false)
}

func TestNoRedirectIsFollowed(t *testing.T) {
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	call, _, _ := post(t, &Transport{Amend: func(r *http.Request) { r.Header.Set("x-key", secret) }}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if elsewhere != 0 || call.Status != http.StatusTemporaryRedirect {
		t.Errorf("%d requests went elsewhere, status %d", elsewhere, call.Status)
	}
}

func TestErrorsNameNoPorts(t *testing.T) {
	call, _, err := post(t, &Transport{}, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	if err == nil {
		t.Fatal("no error")
	}
	var f *llm.Failure
	if err := (Key{}).Transport(call.Err); !errors.As(err, &f) || f.Reason != Reset || !f.Retryable || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("err = %v", err)
	}
}

// The error says what to do, and names the address if that may be the cause.
func TestAdvice(t *testing.T) {
	check := func(key string, status int, asked, message, want string) {
		t.Helper()
		err := mustKey(t, key).Refused(&Call{Status: status, Asked: asked}, "", message)
		var f *llm.Failure
		if errors.As(err, &f) || err.Error() != want {
			t.Errorf("%d of %s: %v, want %s", status, asked, err, want)
		}
	}
	const right, wrong = "http://h:1/v1/chat/completions", "http://h:1/chat/completions"
	check(secret, 401, right, "who?", "http 401: who?: check the key")
	check("", 401, right, "who?", "http 401: who?: no key was sent: base_url is set, so none is looked for: name its variable in key_env, or its file in key_file")
	check("", 403, right, "", "http 403: no explanation: no key was sent: base_url is set, so none is looked for: name its variable in key_env, or its file in key_file")
	check(secret, 404, right, "not here", "http 404: not here: check base_url and the model's name; "+right+" was asked")
	check(secret, 404, wrong, "not here", "http 404: not here: check base_url and the model's name; "+wrong+" was asked: does base_url lack its /v1?")
	check(secret, 404, "http://h/v1beta/models/m", "", "http 404: no explanation: check base_url and the model's name; http://h/v1beta/models/m was asked")
	check(secret, 404, "http://h/"+secret+"/v1/x", "", "http 404: no explanation: check base_url and the model's name; http://h/[key]/v1/x was asked")
	check(secret, 405, "", "", "http 405: no explanation: check base_url and the model's name")
	check(secret, 307, wrong, "", "http 307: no explanation: the server redirects, which is not followed: check base_url; "+wrong+" was asked: does base_url lack its /v1?")
	const https = ": base_url begins with http, and the server speaks TLS: https?"
	for _, words := range []string{"Client sent an HTTP request to an HTTPS server.", "The plain HTTP request was sent to HTTPS port", "You're speaking plain HTTP to an SSL-enabled server port."} {
		check(secret, 400, right, words, "http 400: "+words+https)
	}
}

// A request that fails beside others is tried again, and its error says what the server shares.
func TestSharedContext(t *testing.T) {
	err := mustKey(t, "").Refused(&Call{Status: 500}, "server_error", "Context size has been exceeded.")
	var f *llm.Failure
	if !errors.As(err, &f) || !f.Retryable || f.Reason == TooLong || !strings.Contains(err.Error(), "lower limits.concurrency") {
		t.Errorf("err = %v", err)
	}
}

// A server that answers in the wrong one of two protocols, or not at all, by what a client meets.
func TestTheWrongProtocol(t *testing.T) {
	check := func(what, scheme, says string, ends bool, want string) {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				if says == "" { // it takes what comes, and waits for more
					defer c.Close()
					continue
				}
				c.Read(make([]byte, 4096))
				io.WriteString(c, says)
				c.Close()
			}
		}()
		call := &Call{}
		req, err := http.NewRequestWithContext(With(context.Background(), call), "POST", scheme+"://"+l.Addr().String()+"/v1?key=x", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		quick := http.DefaultTransport.(*http.Transport).Clone()
		if says == "" {
			quick.TLSHandshakeTimeout = 10 * time.Millisecond
		}
		(&Transport{}).Client(&http.Client{Transport: quick}).Do(req)
		err = (Key{}).Transport(call.Err)
		var f *llm.Failure
		if errors.As(err, &f) == ends || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
		if call.Asked != scheme+"://"+l.Addr().String()+"/v1" {
			t.Errorf("%s: asked %q", what, call.Asked)
		}
	}
	check("a plain answer to TLS", "https", "HTTP/1.1 400 Bad Request\r\n\r\n", true, "speak no TLS: http?")
	check("no answer to TLS", "https", "", false, Silent)
	check("no answer to TLS", "https", "", false, "speak no TLS: http?")
	check("an alert to plain text", "http", "\x15\x03\x01\x00\x02\x02\x46", true, "speaks TLS: https?")
	check("what is neither", "http", "220 mail.example ESMTP\r\n", false, Lost)
}

func TestSetIsBounded(t *testing.T) {
	var s Set
	for i := range 10 * maxSet {
		s.Add(fmt.Sprint(i))
		s.Add("0")
	}
	if got := s.Sorted(); len(got) != maxSet || got[0] != "0" || !s.Has("7") || s.Has("none") {
		t.Errorf("%d in the set", len(got))
	}
}

func FuzzRefused(f *testing.F) {
	f.Add(429, "code", "message", "7")
	f.Add(200, "", "\xff", "Fri, 01 May 2026 12:01:30 GMT")
	k := mustKey(f, secret)
	f.Fuzz(func(t *testing.T, status int, code, message, after string) {
		c := &Call{Status: status, Header: http.Header{"Retry-After": {after}}, Body: []byte(message)}
		err := k.Refused(c, code+secret, secret+message)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("err = %v", err)
		}
		var v map[string]any
		if err := k.Decode(c, &v); err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("err = %v", err)
		}
	})
}

// A proxy variable that is no address may hold a password, and no request can be sent.
func TestTheProxyIsNotShown(t *testing.T) {
	_, err := proxied(func(*http.Request) (*url.URL, error) {
		return url.Parse(strings.Replace("http://user:hunter2@host:1/", "1", "bad", 1))
	})(nil)
	err = mustKey(t, secret).Transport(fmt.Errorf("dial: %w", err))
	if f := (*llm.Failure)(nil); errors.As(err, &f) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "HTTPS_PROXY") {
		t.Errorf("err = %v", err)
	}
}

// FuzzRedact writes a key with an escape of its own for each character, and looks for it.
func FuzzRedact(f *testing.F) {
	f.Add("before", "after", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8})
	spell := []string{"%c", "%%%02x", "%%25%02X", `\u%04x`, `\\\u%04X`, "&#%d;", "&#x%02x;", `\u0026#x%02x;`, "&amp;#%d;"}
	f.Fuzz(func(t *testing.T, before, after string, how []byte) {
		k := mustKey(t, secret)
		if k.Redact(before) != before || k.Redact(after) != after {
			return
		}
		var b strings.Builder
		for i, c := range []byte(secret) {
			form := spell[0]
			if len(how) > 0 {
				form = spell[int(how[i%len(how)])%len(spell)]
			}
			fmt.Fprintf(&b, form, c)
		}
		if got := k.Redact(before + " " + b.String() + " " + after); !strings.Contains(got, " [key] ") {
			t.Errorf("%q shows in %q", b.String(), got)
		}
		k.Redact(before + after)
	})
}

func BenchmarkRedact(b *testing.B) {
	k, err := NewKey("sk-" + strings.Repeat("aB3", 16))
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"SQL": "SELECT s.name FROM singer AS s WHERE s.country = 'France' ", "escapes": `\\\\\%25%25%25&amp;&amp;`} {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				k.Redact(text)
			}
		})
	}
}

func TestPlaceless(t *testing.T) {
	got := map[string]string{}
	for _, name := range []string{"/a/b.gguf", `C:\a\b.gguf`, "../b", "./b", "~/m/b", "meta/llama-3", "m", "", "/"} {
		got[name] = Placeless(name)
	}
	want := map[string]string{"/a/b.gguf": "b.gguf", `C:\a\b.gguf`: "b.gguf", "../b": "b", "./b": "b", "~/m/b": "b", "meta/llama-3": "meta/llama-3", "m": "m", "": "", "/": "/"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
