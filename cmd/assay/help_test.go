package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/plots/terminal"

	"github.com/spf13/cobra"
)

// Every verb explains itself, has an example, and fits a terminal of 80 columns.
func TestHelpOfEveryVerb(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, s := range c.Commands() {
			walk(s)
		}
		var out bytes.Buffer
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, line := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(line) > helpWidth {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
		if c.Long == "" {
			t.Errorf("%s has no description", c.CommandPath())
		}
		if c.Runnable() && !grouping(c) && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
	}
	walk((&app{out: terminal.New(&bytes.Buffer{}), err: terminal.New(&bytes.Buffer{})}).root())
}

func TestWrapText(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := wrapText(text, 20); got != want {
			t.Errorf("%q\ngives %q\nwant  %q", text, got, want)
		}
	}
	check("one two three four five six", "one two three four\nfive six")
	check("one\ntwo\n\nthree", "one two\n\nthree")
	check("a list:\n  first of the entries\n  second", "a list:\n  first of the\n    entries\n  second")
	check("averyveryverylongwordindeed x", "averyveryverylongwordindeed\nx")
	check("", "")
}
