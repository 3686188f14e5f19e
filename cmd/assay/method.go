package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/plots/terminal"
	"assay/prompting/methods"
	"assay/prompting/script"

	"github.com/spf13/cobra"
)

// methodCmd groups the verbs that look at methods, copy them and check one's own.
func (a *app) methodCmd() *cobra.Command {
	c := &cobra.Command{Use: "method", Short: "List, print, copy, begin and check methods, which are folders of files",
		Long: `A method is a folder: method.star says which prompts are sent in which order, and *.jinja files hold their text.
assay's own methods and the parts around them (what links, fixes and chooses) are such folders, too. An experiment names a
built-in one by its name, and yours by its path: method = "./mine".`}
	c.AddCommand(a.methodListCmd(), a.methodShowCmd(), a.methodCopyCmd(), a.methodNewCmd(), a.methodCheckCmd())
	return c
}

func (a *app) methodListCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "Name the built-in methods and parts with their calls and params",
		Long:    "Name the built-in methods and parts: what each does, how many calls it takes, and the params that an experiment may set.",
		Example: "  assay method list\n  assay method list --json",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			rows, err := methodRows()
			if err != nil {
				return err
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(rows)
			}
			var b strings.Builder
			for i, r := range rows {
				if i == 0 || r.Kind != rows[i-1].Kind {
					fmt.Fprintf(&b, "%s%s\n", strings.Repeat("\n", min(i, 1)), kindHeads[r.Kind])
				}
				b.WriteString(r.text())
			}
			_, err = fmt.Fprint(a.out, b.String())
			return err
		},
	}
}

// kindHeads are the headings of the list, by the kind of its rows.
var kindHeads = map[string]string{
	"method":      `method = "NAME"`,
	script.Link:   `link = ["NAME"]: before the method`,
	script.Fix:    `fix = "NAME": a candidate at a time`,
	script.Choose: `choose = "NAME": one of the candidates`,
	script.Schema: `schema.format = "NAME"`,
}

// methodRow is a method or part as the list prints it.
type methodRow struct {
	Name   string        `json:"name"`
	Kind   string        `json:"kind"` // method, link, fix or choose
	Shows  string        `json:"shows"`
	Calls  string        `json:"calls"`
	Params []methodParam `json:"params"`
	Blocks []string      `json:"blocks"` // what an experiment may switch off or replace
}

// parted returns the blocks that are parts of a message, and not the message itself.
func parted(blocks []string) []string {
	return slices.DeleteFunc(append([]string{}, blocks...), func(b string) bool { return b == "system" || b == "user" })
}

type methodParam struct {
	Name    string `json:"name"`
	Default any    `json:"default"`
}

// methodRows lists the built-in methods, then the parts by kind.
func methodRows() (out []methodRow, err error) {
	for _, m := range slices.Concat(methods.Methods(), methods.Parts()) {
		f, err := methods.Open(m.ID)
		if err != nil {
			return nil, err
		}
		r := methodRow{Name: m.ID, Kind: kindOf(m), Shows: m.Shows, Calls: f.Calls(), Params: []methodParam{}, Blocks: parted(m.Blocks)}
		for _, p := range m.Params {
			r.Params = append(r.Params, methodParam(p))
		}
		out = append(out, r)
	}
	return out, nil
}

// kindOf is the kind of a folder by the first part that it defines.
func kindOf(m configs.Method) string {
	if m.Defines(script.Answer) {
		return "method"
	}
	return m.Parts[0]
}

// nameWidth is the width of names in the list.
const nameWidth = 20

// text prints a row in 80 columns.
func (r methodRow) text() string {
	line := func(head, text string) string {
		return indented(fmt.Sprintf("  %-*s ", nameWidth, head), text, helpWidth)
	}
	out := line(r.Name, r.Shows)
	if r.Calls != "" {
		out += line("", "calls: "+r.Calls)
	}
	if len(r.Params) > 0 {
		all := make([]string, len(r.Params))
		for i, p := range r.Params {
			value, _ := json.Marshal(p.Default) // texts, numbers, bools and lists of these: no error
			all[i] = p.Name + " = " + string(value)
		}
		out += line("", "params: "+strings.Join(all, ", "))
	}
	if len(r.Blocks) > 0 {
		out += line("", "blocks: "+strings.Join(r.Blocks, ", "))
	}
	return out
}

func (a *app) methodShowCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME|DIR",
		Short:   "Print the files of a method or part: method.star, then its templates",
		Long:    "Print the files of a built-in method or part, or of your own folder: method.star, further Starlark, the templates, the rest.",
		Example: "  assay method show qdecomp\n  assay method show ./mine",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			id, err := a.methodID(given[0])
			if err != nil {
				return err
			}
			f, err := methods.Open(id)
			if err != nil {
				return err
			}
			names, content := f.Files()
			slices.SortStableFunc(names, func(x, y string) int { return fileRank(x) - fileRank(y) })
			if a.json {
				return a.methodJSON(f, names, content)
			}
			for i, name := range names {
				text := strings.TrimRight(printable(string(content[name])), "\n")
				if _, err := fmt.Fprintf(a.out, "%s=== %s\n%s\n", strings.Repeat("\n", min(i, 1)), name, text); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// methodJSON prints the files of a folder in the order given.
func (a *app) methodJSON(f *script.Folder, names []string, content map[string][]byte) error {
	type file struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	out := struct {
		Name  string   `json:"name"`
		Parts []string `json:"parts"`
		Files []file   `json:"files"`
	}{f.ID, f.Row().Parts, nil}
	for _, name := range names {
		out.Files = append(out.Files, file{name, string(content[name])})
	}
	return json.NewEncoder(a.out).Encode(out)
}

// fileRank orders the files of a method as a person reads them.
func fileRank(name string) int {
	for rank, is := range []bool{name == "method.star", strings.HasSuffix(name, ".star"), strings.HasSuffix(name, ".jinja")} {
		if is {
			return rank
		}
	}
	return 3
}

// printable replaces what could change a terminal, and keeps the lines.
func printable(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j, c := range cells {
			cells[j] = terminal.Line(c)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// methodID returns the id of a built-in folder, or the absolute path of the user's. A built-in name wins over a folder of
// that name, which a note tells.
func (a *app) methodID(given string) (string, error) {
	_, err := os.Stat(given)
	there := err == nil
	if !strings.ContainsAny(given, `/\`) {
		for _, m := range slices.Concat(methods.Methods(), methods.Parts()) {
			if m.ID != given {
				continue
			}
			if there {
				a.note("%s is the built-in one; for the folder of that name write ./%s", given, given)
			}
			return given, nil
		}
	}
	if there {
		return filepath.Abs(given)
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("no method or part is named so, and there is no such folder: %s", configs.Unknown(given, builtIns()))
	}
	return "", err
}

// builtIns lists the names of the built-in methods and parts.
func builtIns() (out []string) {
	for _, m := range slices.Concat(methods.Methods(), methods.Parts()) {
		out = append(out, m.ID)
	}
	return out
}
