package configs

import (
	"fmt"
	"strings"
)

// sections are the reference page's headings, by the prefix of their keys.
var sections = []struct{ prefix, head string }{
	{"", "Top of the file"},
	{"dataset.", "`[dataset]`: which questions are asked"},
	{"model.", "`[model]`: who answers"},
	{"embeddings.", "`[embeddings]`: by what model texts are compared"},
	{"schema.", "`[schema]`: how a database is described"},
	{"exemplars.", "`[exemplars]`: which demonstrations a prompt has"},
	{"values.", "`[values]`: database values that the question mentions"},
	{"columns.", "`[columns]`: which columns the prompts show"},
	{"synthetic.", "`[synthetic]`: the examples of method {examples}"},
	{"fixer.", "`[fixer]`: fixing queries that fail"},
	{"selection.", "`[selection]`: which candidate is the answer"},
	{"stages.", "`[stages]`: parameters of the other calls, which neither generate nor select"},
	{"agent.", "`[agent]`: the tools and turns of method {agent}"},
	{"params", "`[params]`: what an arm sets in its method and parts"},
	{"blocks", "`[blocks]`: the parts of a prompt that are left out or replaced"},
	{"limits.", "`[limits]`: how a provider is asked; no part of a run's identity"},
	{"budget.", "`[budget]`: what a run may spend; no part of its identity"},
	{"arm.", "`[[arm]]`: one method with its settings"},
	{"metric.", "`[[metric]]`: a metric of one's own, by a program in any language"},
	{"table.", "`[[table]]`: a table that the experiment defines; changes no number, and is no part of a run's identity"},
	{"report.", "`[report]`: what `assay report` makes; no part of a run's identity"},
}

const preamble = `# The experiment file

An experiment is one TOML file. Reading is strict: an unknown key, a value outside its bounds or a name that does
not exist is an error with file and line, before any work.

` + "`[model]`, `[embeddings]`, `[schema]`, `[exemplars]`, `[values]`, `[columns]`, `[synthetic]`, `[fixer]`, `[selection]`, `[stages]`, `[agent]`, `[params]` and `[blocks]`" + ` at the top are defaults: every arm starts as a copy of them and overrides key by key
(` + "`model.temperature = 0.7`" + ` inside an ` + "`[[arm]]`" + `). A preset stated in an arm replaces an inherited strategy and its levels, and a
strategy replaces an inherited preset.

` + "`${NAME}`" + ` in a text is the environment variable NAME; a variable that is not set is an error where its value would be used,
and so is one with the name of a secret, such as OPENAI_API_KEY, which the run's files would hold.
` + "`$${`" + ` is the characters themselves. A relative path is relative to the file; in an embedded experiment and in ` + "`--set`" + `, to the
working directory.

` + "`--set key.path=value`" + ` overrides any key: the value is TOML, bare words are text, and bare words with commas are a
list where the key is one. ` + "`--set arm.NAME.key=value`" + ` sets a key of one arm, ` + "`--set sweep.k=0,4,8`" + ` an axis, which an
empty list removes. A key of an inherited table changes only the arms that do not state it themselves.
`

// explained are the lists whose values the reference page explains, with their headings.
var explained = []struct{ list, head string }{
	{"kinds", "Dataset kinds"}, {"splitters", "Partitions of a set"}, {"providers", "Providers"}, {"apis", "Ways to ask a model"}, {"efforts", "Efforts of reasoning"}, {"embedders", "What computes vectors"}, {"methods", "Methods"}, {"formats", "Schema formats"},
	{"strategies", "Exemplar strategies"}, {"presets", "Exemplar presets"}, {"annotations", "Words for exemplars.file"},
	{"value columns", "Columns whose values are searched"}, {"keywords", "Keywords"}, {"value examples", "Examples beside values"},
	{"column filters", "Column filters"}, {"sources", "Sources of examples"}, {"linkers", "Parts before generators"}, {"fixers", "Fixers"}, {"unfixed", "Candidates left unfixed"},
	{"triggers", "Fixer triggers"}, {"selection rules", "Selection rules"}, {"ties", "Ties"}, {"agent presets", "Agent presets"},
	{"agent tools", "Tools"}, {"agent observations", "Observations"}, {"agent answers", "Answers of a dialogue"}, {"agent dialogues", "Dialogues shown"},
	{"agent layouts", "Lists of tables"}, {"metrics", "Metrics"}, {"cells", "Cells of tables"}, {"features", "Features of SQL"},
}

// Reference returns the page that documents every key and every known name, as Markdown. REFERENCE.md in this folder holds
// it, and a test fails where the two differ.
func Reference(known Known) string {
	var b strings.Builder
	b.WriteString(preamble)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n| key | type | default | meaning |\n|---|---|---|---|\n", known.fillDoc(s.head))
		for i := range keys {
			k := &keys[i]
			if rest, in := strings.CutPrefix(k.path, s.prefix); in && (s.prefix != "" || !strings.Contains(rest, ".") && !k.open()) {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.path, k.kind, k.defaultText(), k.meaning(known))
			}
		}
	}
	b.WriteString(sweepReference())
	for _, l := range explained {
		fmt.Fprintf(&b, "\n## %s\n\n", l.head)
		for _, one := range known.Choices(l.list) {
			fmt.Fprintf(&b, "- `%s`%s\n", one.ID, known.explain(l.list, one))
		}
	}
	return b.String()
}

// explain returns what follows a name in its list: what it shows, and of a provider how much it can be told to reason.
func (known Known) explain(list string, one Choice) string {
	out := ""
	if one.Shows != "" {
		out = ": " + one.Shows
	}
	p := known.Provider(one.ID)
	if list != "providers" || len(p.Efforts) == 0 && !p.Budget {
		return out
	}
	return out + "; `model.reasoning`: " + p.reasonings()
}

func (k *key) defaultText() string {
	switch {
	case k.need:
		return "required"
	case k.def == nil:
		return ""
	}
	s, err := literal(k.def)
	if err != nil {
		return ""
	}
	return "`" + s + "`"
}

func (k *key) meaning(known Known) string {
	doc := known.fillDoc(k.doc)
	if k.choices == "" {
		return doc
	}
	return fmt.Sprintf("%s One of %s.", doc, strings.Join(known.Choices(k.choices).IDs(), ", "))
}

func sweepReference() string {
	var b strings.Builder
	b.WriteString("\n## `[sweep]`: one axis of values per line\n\n" +
		"Each key names a parameter of the arms, each value is a list: `temperature = [0, 0.5, 1]`. The cells of a run are every\n" +
		"combination of the axes with every arm: the first axis changes slowest, the arms fastest. A swept value holds for every\n" +
		"arm, whatever the arm states. `params.NAME` and `blocks.NAME` are swept too, and change nothing in arms whose method lacks\n" +
		"the name; a block that is off is shown as `off`, a file or folder by its name. Parameters are any path within an arm\n" +
		"(`schema.rows`) but lists of methods and parts, or a short name:\n\n")
	for i := range keys {
		if k := &keys[i]; k.short != "" {
			fmt.Fprintf(&b, "- `%s`: `%s`\n", k.short, k.path)
		}
	}
	return b.String()
}
