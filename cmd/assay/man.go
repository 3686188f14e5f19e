package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"assay/configs/output"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCmd writes what a package of assay installs beside the binary. It is for those who package it, and hidden from the help of
// everybody else.
func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages and the completion scripts, for packages",
		Long: `Write a manual page of each verb (man1) and topic (man7), and the completion scripts of bash, zsh and fish, into a folder, as
they are installed below /usr/share. They have the text of help.`,
		Example: "  assay man dist/share",
		Hidden:  true,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			m := manual{dir: given[0]}
			m.verb(cmd.Root())
			for _, t := range topics {
				m.topic(t)
			}
			m.completions(cmd.Root())
			return m.err
		},
	}
}

// manual writes files below a folder, until one fails.
type manual struct {
	dir string
	err error
}

func (m *manual) write(name string, body func(io.Writer) error) {
	path := filepath.Join(m.dir, name)
	if m.err == nil {
		m.err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if m.err == nil {
		m.err = output.File(path, body)
	}
}

// verb writes the page of a verb and of those below it.
func (m *manual) verb(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	c.DisableAutoGenTag = true // it would date the page by the day on which it is made
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	m.write("man/man1/"+name+".1", func(w io.Writer) error {
		return doc.GenMan(c, &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "assay", Manual: "assay"}, w)
	})
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			m.verb(below)
		}
	}
}

// roff escapes a text for a manual page: a point or an apostrophe at a line's start would be a command.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// topic writes the page of a topic, with its lines as help prints them: tables of roff are wider than a terminal.
func (m *manual) topic(t topic) {
	m.write("man/man7/assay-"+t.name+".7", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, ".nh\n.TH ASSAY-%s 7 \"\" assay assay\n.SH NAME\nassay-%s \\- %s\n.SH DESCRIPTION\n.nf%s",
			strings.ToUpper(t.name), t.name, roff.Replace(t.shows), roff.Replace("\n"+markdownText(t.text, 72)))
		return err
	})
}

func (m *manual) completions(root *cobra.Command) {
	m.write("bash-completion/completions/assay", func(w io.Writer) error { return root.GenBashCompletionV2(w, true) })
	m.write("zsh/vendor-completions/_assay", root.GenZshCompletion)
	m.write("fish/vendor_completions.d/assay.fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) })
}
