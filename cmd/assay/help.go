package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"assay/configs"
	"assay/plots/terminal"

	"github.com/spf13/cobra"
)

// helpWidth is the width of help in columns: the default width of a terminal.
const helpWidth = 80

// setHelp makes the help of a command, and of those below it, fit into 80 columns.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.InitDefaultHelpFlag()
		fmt.Fprintf(c.OutOrStdout(), "%s\n\n%s", wrapText(cmp.Or(c.Long, c.Short), helpWidth), usageText(c))
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStdout(), usageText(c))
		return err
	})
}

// grouping reports whether a verb only holds others.
func grouping(c *cobra.Command) bool { return c.HasParent() && c.HasAvailableSubCommands() }

// setGroupings makes a verb that only holds others refuse a word that is none of them: the library would print its help, as if
// that was what was asked for.
func setGroupings(root *cobra.Command) {
	for _, group := range root.Commands() {
		if !grouping(group) {
			continue
		}
		group.Args = cobra.ArbitraryArgs
		group.RunE = func(c *cobra.Command, given []string) error {
			if len(given) == 0 {
				return c.Help()
			}
			var below []string
			for _, s := range c.Commands() {
				if s.IsAvailableCommand() {
					below = append(below, s.Name())
				}
			}
			return usageError{fmt.Errorf("%s: verb %s", c.Name(), configs.Unknown(given[0], below))}
		}
	}
}

// usageText returns the help below the description: usage, examples, commands by group, topics and flags.
func usageText(c *cobra.Command) string {
	var b strings.Builder
	section := func(title, body string) {
		if body = strings.TrimRight(body, " \n"); body != "" {
			fmt.Fprintf(&b, "%s\n%s\n\n", title, body)
		}
	}
	var use, below string
	if c.Runnable() && !grouping(c) {
		use = "  " + c.UseLine() + "\n"
	}
	if c.HasAvailableSubCommands() {
		use += "  " + c.CommandPath() + " [command]\n"
	}
	section("Usage:", use)
	section("Examples:", c.Example)
	for _, g := range append(c.Groups(), &cobra.Group{Title: "Commands:"}) {
		below = ""
		for _, s := range c.Commands() {
			if (s.IsAvailableCommand() || s.Name() == "help") && s.GroupID == g.ID {
				below += indented("  "+fmt.Sprintf("%-*s ", s.NamePadding(), s.Name()), s.Short, helpWidth)
			}
		}
		section(g.Title, below)
	}
	if !c.HasParent() {
		section("Topics of assay help:", topicList())
	}
	section("Flags:", c.LocalFlags().FlagUsagesWrapped(helpWidth))
	section("Global Flags:", c.InheritedFlags().FlagUsagesWrapped(helpWidth))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "Use \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// wrapText breaks each paragraph into lines of at most width characters. A line that begins with spaces, such as an entry
// of a list, is not joined with its neighbours.
func wrapText(text string, width int) string {
	var out strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			out.WriteString("\n")
		}
		var run []string
		flush := func() {
			out.WriteString(indented("", strings.Join(run, " "), width))
			run = nil
		}
		for _, line := range strings.Split(paragraph, "\n") {
			if strings.HasPrefix(line, " ") {
				flush()
				out.WriteString(indented("  ", strings.TrimSpace(line), width))
				continue
			}
			run = append(run, line)
		}
		flush()
	}
	return strings.TrimRight(out.String(), "\n")
}

// indented writes a text after a head. Further lines are indented by the width of the head, or by four spaces where the
// head is an entry's two. Without a text it returns the head alone.
func indented(head, text string, width int) string {
	words := strings.Join(strings.Fields(text), " ")
	if words == "" {
		return strings.TrimRight(head, " ")
	}
	rest := strings.Repeat(" ", utf8.RuneCountInString(head))
	if head == "  " {
		rest = "    "
	}
	return strings.Join(terminal.Hang(head, rest, words, width), "\n") + "\n"
}
