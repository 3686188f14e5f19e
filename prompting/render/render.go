// Package render prints a schema and a question as prompt text.
//
// [Input] prints the schema in the format of the settings, then the evidence and the question. Demonstrations and test
// questions go through the same function, so that they have the same form. The text is a function of its arguments:
// nothing here may depend on the order of a map or on a random draw, because prompts identify requests in the ledger.
// The sources of the formats are part of [Hash], so even a changed comment in them changes the identity of all prompts.
package render

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting/sql/schema"
)

// format is one way to describe a database and to put a question to it.
type format struct {
	configs.Choice
	schema func(db *schema.Database, rows int) string // every line ends in "\n"
	ask    string                                     // template of the lines around the question, in prompts/question.tmpl
	cued   bool                                       // a prompt for bare SQL ends in the word SELECT
}

// formats is all there is: what configs.Schema.Format may say.
var formats = []format{
	{configs.Choice{ID: "apidocs", Shows: "one comment line a table with its columns"}, apiDocs, "apidocs", false},
	{configs.Choice{ID: "createtable", Shows: "CREATE TABLE statements, each with example rows"}, createTable, "comment", true},
	{configs.Choice{ID: "bird", Shows: "CREATE TABLE statements with column meanings and example values"}, bird, "comment", true},
}

// Formats lists the formats in the order of their table.
func Formats() configs.Choices { return configs.ChoicesOf(formats) }

// find returns a format by its name.
func find(name string) (format, error) {
	if f, ok := configs.Find(formats, name); ok {
		return f, nil
	}
	return format{}, fmt.Errorf("unknown format (there are %s)", strings.Join(Formats().IDs(), ", "))
}

// Check returns an error where the format of cfg does not exist.
func Check(cfg configs.Schema) error {
	if _, err := find(cfg.Format); err != nil {
		return fmt.Errorf("render: format %q: %w", cfg.Format, err)
	}
	return nil
}

// Cued reports whether a prompt in this format that asks for bare SQL ends in the word SELECT, so that the completion
// goes on after it.
func Cued(cfg configs.Schema) bool {
	f, err := find(cfg.Format)
	return err == nil && f.cued
}

// Schema prints db in the format that cfg names; every line ends in "\n". Shuffling is the caller's, who knows the
// seed.
func Schema(db *schema.Database, cfg configs.Schema) (string, error) {
	f, err := find(cfg.Format)
	if err != nil {
		return "", fmt.Errorf("render: schema %q in format %q: %w", db.Name, cfg.Format, err)
	}
	return f.schema(db, max(cfg.Rows, 0)), nil
}

// Ask is a question as a prompt puts it.
type Ask struct {
	DB       *schema.Database
	Question string // a line break in it becomes a space
	Evidence string // left out where empty
	Cue      bool   // end in the word SELECT where the format has that cue
}

// Input prints the schema and then the question, as a prompt's last lines or a demonstration's first. It ends without a
// line break: after "### Question:  <question>" in apidocs, after "-- <question>" or "SELECT" in the others.
func Input(a Ask, cfg configs.Schema) (string, error) {
	text, err := Schema(a.DB, cfg)
	if err != nil {
		return "", err
	}
	return Question(text, a, cfg.Format)
}

// Question prints a schema that is printed already and then the question, with the lines of a format.
func Question(text string, a Ask, format string) (string, error) {
	f, err := find(format)
	if err != nil {
		return "", fmt.Errorf("render: question in format %q: %w", format, err)
	}
	var b strings.Builder
	err = questions.ExecuteTemplate(&b, f.ask, map[string]any{
		"Schema": text, "Question": oneLine(a.Question), "Evidence": oneLine(a.Evidence), "Cue": a.Cue && f.cued,
	})
	if err != nil {
		return "", fmt.Errorf("render: question in format %q: %w", format, err)
	}
	return b.String(), nil
}

//go:embed prompts/question.tmpl
var questionText string

var questions = template.Must(template.New("question").Parse(questionText))

//go:embed prompts/*.tmpl apidocs.go createtable.go bird.go
var sources embed.FS

// Hash identifies the text that this package puts into prompts: the hexadecimal SHA-256 of its templates and of the
// formats' own source.
func Hash() string {
	h := sha256.New()
	for _, name := range []string{"prompts/question.tmpl", "apidocs.go", "createtable.go", "bird.go"} {
		b, err := sources.ReadFile(name)
		if err != nil { // unreachable: the names are embedded
			b = []byte(err.Error())
		}
		fmt.Fprintf(h, "%s %d\n", name, len(b))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// oneLine replaces each run of white space by one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip keeps a cell on one line, at most n characters long, and unable to end a block comment.
func clip(s string, n int) string {
	s = strings.ReplaceAll(oneLine(s), "*/", "* /")
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "..."
}
