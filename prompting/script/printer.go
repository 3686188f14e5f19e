package script

import (
	"context"
	"fmt"
	"strings"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/render"
	"assay/prompting/sql/schema"

	"go.starlark.net/starlark"
)

// printer prints schemas and questions in the arm's format.
type printer interface {
	schema(db *schema.Database) (string, error) // every line ends in "\n"
	input(a render.Ask) (string, error)         // no line break at the end
	cued() bool                                 // a prompt for bare SQL ends in the word SELECT
}

// usualFormat is the one that a user's own format prints with where it calls render() itself.
const usualFormat = "createtable"

// printerOf returns the printer of an arm's format: one of assay's, or a user's folder.
func printerOf(p *Part, d prompting.Deps, arm configs.Arm, seed int64) (printer, error) {
	if !isFolder(arm.Schema.Format) {
		return builtIn{arm.Schema}, render.Check(arm.Schema)
	}
	f, err := p.open(arm.Schema.Format)
	if err != nil {
		return nil, err
	}
	format, err := New(f, Schema, Setup{Deps: d, Arm: arm, Seed: seed, Open: p.open})
	return custom{format}, err
}

// builtIn prints in one of assay's formats.
type builtIn struct{ set configs.Schema }

func (b builtIn) schema(db *schema.Database) (string, error) { return render.Schema(db, b.set) }
func (b builtIn) input(a render.Ask) (string, error)         { return render.Input(a, b.set) }
func (b builtIn) cued() bool                                 { return render.Cued(b.set) }

// custom prints in a user's format: schema(db), or schema.jinja, and for the lines after it question.jinja, where the
// folder has one, or the lines of format createtable.
type custom struct{ part *Part }

func (c custom) cued() bool { return false }

func (c custom) schema(db *schema.Database) (string, error) {
	text, err := c.part.schema(db)
	return strings.TrimRight(text, "\n") + "\n", err
}

func (c custom) input(a render.Ask) (string, error) {
	text, err := c.schema(a.DB)
	if err != nil {
		return "", err
	}
	if c.part.templates["question"] == nil {
		return render.Question(text, a, usualFormat)
	}
	lines, err := c.part.bare().text("question", variables{all: map[string]any{"question": oneLine(a.Question), "evidence": oneLine(a.Evidence)}})
	return text + lines, err
}

// bare returns a session that is about no question: a format sees a schema alone.
func (p *Part) bare() *session {
	return &session{ctx: context.Background(), part: p, item: &item{within: true}, q: prompting.Question{Schema: &schema.Database{}}}
}

// schema prints a schema by schema(db), or by schema.jinja.
func (p *Part) schema(db *schema.Database) (string, error) {
	s := p.bare()
	if p.program == nil || p.program.Function(Schema) == nil {
		return s.text("schema", variables{all: map[string]any{"db": view{s.database(db)}}})
	}
	v, err := p.call(s, Schema, s.database(db))
	if err != nil {
		return "", fmt.Errorf("script: format %q: %w", p.name, err)
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return "", fmt.Errorf("script: format %q: %w", p.name, p.returned(v, "a text"))
	}
	return text, nil
}

// Schemas returns what prints schemas in the arm's format; every line of a text ends in "\n".
func Schemas(s Setup) (func(*schema.Database) (string, error), error) {
	print, err := printerOf(&Part{open: s.Open}, s.Deps, s.Arm, s.Seed)
	if err != nil {
		return nil, err
	}
	return print.schema, nil
}
