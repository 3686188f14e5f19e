package input_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"assay/configs/input"

	"github.com/BurntSushi/toml"
	"github.com/klauspost/compress/zstd"
)

var small = input.Bound{What: "a note", Most: 10, Remedy: "cut it"}

// write returns the path of a new file.
func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// mustFail checks that an error contains the texts.
func mustFail(t *testing.T, name string, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%s: got %v, want %q", name, err, w)
		}
	}
}

func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	check := func(name, path string, want ...string) {
		t.Helper()
		_, err := input.Read(path, small)
		mustFail(t, name, err, append(want, path)...)
		mustFail(t, name, input.Regular(path), append(want, path)...)
		_, err = input.Folder(path, small)
		if err == nil && path != dir {
			t.Errorf("%s is taken for a folder", name)
		}
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip("no FIFOs here:", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(fifo, link); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	check("a FIFO", fifo, "is a FIFO, not a file")
	check("a link to a FIFO", link, "is a FIFO, not a file")
	check("a folder", dir, "is a folder, not a file")
	check("a device", "/dev/zero", "is a character device, not a file")
	check("a link to itself", loop, "symbolic links")
	check("nothing", filepath.Join(dir, "none"), "no such file")
	if _, err := input.Read(filepath.Join(dir, "none"), small); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	files, err := input.Folder(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fs.ReadFile(files, "fifo")
	mustFail(t, "a FIFO in a folder", err, "is a FIFO, not a file")
}

func TestLength(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		got, err := input.Read(write(t, text), small)
		if want != "" {
			mustFail(t, text, err, want, "a note may have", "cut it")
		} else if err != nil || string(got) != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	check("", "")
	check("0123456789", "")
	check("0123456789a", "has 11 bytes, more than the 10 bytes")
	if runtime.GOOS == "linux" { // a file without a size
		_, err := input.Read("/proc/self/status", small)
		mustFail(t, "/proc", err, "is longer than the 10 bytes")
	}
}

func TestAFileThatGrows(t *testing.T) {
	path := write(t, "01234")
	f, err := input.Open(path, small)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 100)), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	mustFail(t, "a file that grew", err, "longer than the 10 bytes")
	if len(b) != 10 {
		t.Errorf("read %d bytes", len(b))
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	f, err := input.Open(write(t, "text"), small)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := io.ReadAll(f.Until(ctx)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEncodings(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		got, err := input.UTF8([]byte(text))
		if want == "" && (err != nil || string(got) != strings.TrimPrefix(text, "\ufeff")) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
		if want != "" {
			mustFail(t, text, err, want, "iconv")
		}
	}
	check("", "")
	check("\ufeffplain", "")
	check("caf\u00e9", "")
	check("\xff\xfea\x00b\x00", "is UTF-16, not UTF-8")
	check("\xfe\xff\x00a\x00b", "is UTF-16, not UTF-8")
	check("\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32")
	check("a\x00b\x00", "UTF-16LE")
	check("\x00a\x00b", "UTF-16BE")
	check("one\ntwo caf\xe9", "line 2: byte 0xe9 is not UTF-8")
}

func TestShape(t *testing.T) {
	check := func(text string, want string) {
		t.Helper()
		err := input.Shape([]byte(text), 3, 6)
		if want != "" {
			mustFail(t, text, err, want)
		} else if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	check(`[1, 2, {"a": "[[[[,,,,,,\"[["}]`, "")
	check(`[[[[`, "line 1: brackets within brackets, more than 3 deep")
	check("[0,\n0,0,0,0,0,0]", "line 2: more than 6 values")
	check(`"\`, "")
}

func TestTOML(t *testing.T) {
	check := func(name, text string, deep bool) {
		t.Helper()
		if err := input.TOML(text); (err != nil) != deep {
			t.Errorf("%s: %v", name, err)
		}
	}
	many := strings.Repeat
	check("a key of many parts", many("a.", 60)+"a = 1", true)
	check("a header of many parts", "x = 1\n["+many("a.", 60)+"a]", true)
	check("tables in tables", "a = "+many("{a = ", 60)+"1"+many("}", 60), true)
	check("lists in lists", "a = "+many("[\n", 60), true)
	check("many numbers", "a = ["+many("1.5, ", 1000)+"]", false)
	check("dots and brackets in texts", `a = "`+many("[.", 100)+`"`+"\nb = '"+many("{.", 100)+"'\nc = '''\n"+many(`"[.`, 100)+"'''\n# "+many("[.", 100), false)
	check("after a text that ends in quotes", `a = ["""x""""", `+many("[", 60), true)
	check("after an escaped quote", `a = ["\"", `+many("[", 60), true)
	check("after a literal with a quote", `a = ['"', `+many("[", 60), true)
	check("after a comment with a quote", "# \"\na = "+many("[", 60), true)
}

func TestStatements(t *testing.T) {
	got, err := input.Statements("# note\r\n\r\na = 1 # one\r\n[b]\nc = [\n1, # two\n2]\nd = '''\n#\n'''\n  e = {f = 1}")
	if err != nil {
		t.Fatal(err)
	}
	want := []input.Statement{{3, "a = 1 # one"}, {4, "[b]"}, {5, "c = [\n1, # two\n2]"}, {8, "d = '''\n#\n'''"}, {11, "e = {f = 1}"}}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// FuzzTOML checks that what the guard lets through decodes to as many statements as the library sees keys, or not at all.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{"a = 1\n[b]\nc = '''x'''", "a.b = [[1], {x = \"\\\"\"}]", `a = """x""""" # "`, "a = '\"'\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := input.Statements(text)
		var root map[string]any
		if err != nil {
			return
		}
		if _, err := toml.Decode(text, &root); err != nil {
			return
		}
		for _, st := range statements {
			var one map[string]any
			if _, err := toml.Decode(st.Text, &one); err != nil {
				t.Errorf("%q of %q: %v", st.Text, text, err)
			}
		}
	})
}

func TestLines(t *testing.T) {
	packed := func(text string) string {
		z, _ := zstd.NewWriter(nil)
		return string(z.EncodeAll([]byte(text), nil))
	}
	zipped := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.String()
	}
	read := func(text string, most int64) (lines []string, err error) {
		f, err := input.Open(write(t, text), input.Bound{What: "a log", Most: most, Remedy: "cut it"})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		l, err := input.NewLines(t.Context(), f, 5)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for {
			b, err := l.Next()
			if errors.Is(err, input.ErrLongLine) {
				b, err = []byte(err.Error()), nil
			}
			if err != nil {
				return lines, err
			}
			lines = append(lines, string(b))
		}
	}
	check := func(text, want string, most int64) {
		t.Helper()
		for _, s := range []string{text, packed(text), zipped(text)} {
			if lines, err := read(s, most); err != io.EOF || strings.Join(lines, "|") != want {
				t.Errorf("%q: got %q, %v", s, lines, err)
			}
		}
	}
	check("", "", 100)
	check("a\r\n\nb\n", "a||b", 100)
	check("a\nb", "a|b", 100)
	check("a\nabcdef\nb\nabcdef", "a|the line is longer than the 5 bytes that a line of a log may have|b|the line is longer than the 5 bytes that a line of a log may have", 100)
	_, err := read(zipped(strings.Repeat("\n", 1000)), 100)
	mustFail(t, "a text of many lines", err, "longer than the 100 bytes")
	_, err = read(packed(strings.Repeat("\n", 1000)), 100)
	mustFail(t, "a text of many lines", err, "longer than the 100 bytes")
	_, err = read(packed("abc\n")[:8], 100)
	if err == io.EOF || err == nil {
		t.Error("a frame without its end reads as whole")
	}
}
