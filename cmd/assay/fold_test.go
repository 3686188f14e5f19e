package main

import (
	"strings"
	"testing"
)

func TestFolding(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		var b strings.Builder
		f := &folding{to: &b, width: 20}
		for _, part := range strings.SplitAfter(text, "a") { // in several writes
			if _, err := f.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Flush(); err != nil || b.String() != want {
			t.Errorf("%q\ngives %q\nwant  %q", text, b.String(), want)
		}
	}
	check("", "")
	check("short\n\nlines\n", "short\n\nlines\n")
	check("one two three four five six\n", "one two three four\n  five six\n")
	check("    one two three four five\n", "    one two three\n      four five\n")
	check("question  how many of them are there\n", "question  how many\n          of them\n          are there\n")
	check("averyveryverylongwordindeed\n", "averyveryverylongwordindeed\n")
	check("x averyveryverylongwordindeed y\n", "x\n  averyveryverylongwordindeed\n  y\n")
	check("ä ö ü ä ö ü ä ö ü ä ö", "ä ö ü ä ö ü ä ö ü ä\n  ö")
	check("              as deep as that goes\n", "              as\n          deep as\n          that goes\n")
	check("ends with a space and this       \n", "ends with a space\n  and this\n")
}
