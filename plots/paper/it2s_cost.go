package paper

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/experiments/makeup"
	"assay/experiments/record"
	"assay/plots/table"
)

// turnStage is a turn of a dialogue, as prompting/agent names its calls.
var turnStage = regexp.MustCompile(`turn \d+$`)

func whyNoTurns(v *view) string {
	if !slices.ContainsFunc(v.run.Calls, func(c record.Call) bool { return turnStage.MatchString(c.Stage) }) {
		return "no arm of it works in turns"
	}
	return ""
}

// lengthDoubt is what the numbers of Table 8 say of what its tokens are.
const lengthDoubt = "The paper does not say what its average tokens are. Sent anew in each of 4.36 rounds, its 3,468 fixed tokens alone would be over 15,000, so 4,634 can only be a dialogue's length at its end, each text counted once; its money is what all rounds cost. Both are shown here: at the end, and billed."

// it2sTable8 has a row an arm that works in turns, with the published row of the same dataset below it.
func it2sTable8(v *view) (Output, error) {
	pub, names, err := chasePublished("it2s-table8.csv")
	if err != nil {
		return Output{}, err
	}
	parts, err := v.parts()
	if err != nil {
		return Output{}, err
	}
	spent, notes, err := v.spending()
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "it2s/table8", Title: "Rounds, tokens and money a question: " + v.run.Manifest.Experiment,
		Columns: []table.Column{{Name: "arm", Key: true}, {Name: "items", Key: true}, {Name: "whose", Key: true}}}
	t.Columns = append(t.Columns, numerals("fixed tokens", "tools", "examples")...)
	t.Columns = append(t.Columns, numerals("a question", "rounds", "tokens at the end", "tokens billed", "USD")...)
	t.Columns[6].Short, t.Columns[7].Short = "at the end", "billed"
	shown, why := map[string]bool{}, []string(nil)
	for i, r := range v.rows {
		if !r.arm.Row.Agent {
			continue
		}
		set, u := datasetOf(r), spent[i]
		line := func(name, whose string, cells []table.Cell) {
			t.Rows = append(t.Rows, append([]table.Cell{table.Text(name), table.Text(set), table.Text(whose)}, cells...))
		}
		of := parts.of(v, r)
		ours := []table.Cell{of(makeup.Instruction, makeup.Tools), of(makeup.Demonstrations), u.mean(rounds, 2), u.mean(length, 0), u.mean(billed, 0), u.money()}
		line(v.name(r), "this run", ours)
		name := v.table8Row(r)
		if name == "" {
			continue
		}
		if reason := v.unlike(set, v.questionsOf(set), []row{r}, 0); reason != "" {
			why = append(why, reason)
			continue
		}
		shown[name] = true
		below(line, "", ours, table8Cells(pub, name))
	}
	for _, n := range names {
		if !shown[n] {
			t.Rows = append(t.Rows, append([]table.Cell{table.Text("Interactive-T2S"), table.Text(pub[n]["system"]), table.Text("published")}, table8Cells(pub, n)...))
		}
	}
	own := []string{"Tools: the instruction with the tools. Rounds: turns of all dialogues of a question. " + meanNote, parts.note(), v.itemsNote(), lengthDoubt}
	t.Notes = v.notes(slices.Concat(own, v.it2sNotes("Table 8", len(shown) > 0, why, []string{"spider/dev", "bird/dev"}), notes)...)
	return Output{Table: t}, nil
}

// table8Row is the published row that an arm repeats; "" for none.
func (v *view) table8Row(r row) string {
	if it2sMethod(r.arm) != "interactive-t2s" {
		return ""
	}
	switch datasetOf(r) {
	case "spider/dev":
		return "spider"
	case "bird/dev":
		if v.hinted(r) {
			return "bird+kg"
		}
		return "bird"
	}
	return ""
}

func table8Cells(pub published, name string) []table.Cell {
	return []table.Cell{pub.cell(name, "description", 0), pub.cell(name, "demonstrations", 0), pub.cell(name, "rounds", 2),
		pub.cell(name, "tokens", 0), {}, pub.cell(name, "usd", 2)}
}

// dinDoubt is what the numbers of Table 7 say against Table 6.
const dinDoubt = "The paper adds four times the schema to DIN-SQL's fixed tokens: 11,606 + 4 x 307 = 12,834 for Spider, as printed; for BIRD, with the 3,324 of its Table 6, that would be 24,902, where 21,622 is printed (2,504 a schema)."

// it2sTable7 has a row an arm: the tokens of its first prompt by part, and what all its prompts take.
func it2sTable7(v *view) (Output, error) {
	pub, names, err := chasePublished("it2s-table7.csv")
	if err != nil {
		return Output{}, err
	}
	parts, err := v.parts()
	if err != nil {
		return Output{}, err
	}
	spent, _, err := v.spending()
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "it2s/table7", Title: "Tokens of fixed prompt text by part: " + v.run.Manifest.Experiment,
		Columns: []table.Column{{Name: "method", Key: true}, {Name: "whose", Key: true}}}
	t.Columns = append(t.Columns, numerals("fixed, first prompt", "instruction", "tools", "examples", "all")...)
	t.Columns = append(t.Columns, numerals("of the item", "schema", "question")...)
	t.Columns = append(t.Columns, numerals("an item", "prompts", "prompt tokens")...)
	for i, r := range v.rows {
		of := parts.of(v, r)
		t.Rows = append(t.Rows, []table.Cell{table.Text(v.name(r)), table.Text("this run"), of(makeup.Instruction), of(makeup.Tools), of(makeup.Demonstrations),
			of(makeup.Instruction, makeup.Tools, makeup.Demonstrations), of(makeup.Schema), of(makeup.Question, makeup.Evidence),
			spent[i].mean(asked, 1), spent[i].mean(sent, 0)})
	}
	for _, n := range names {
		for _, c := range [][3]string{{"", "fixed", ""}, {" on Spider dev", "", "spider"}, {" on BIRD dev", "", "bird"}} {
			cells := make([]table.Cell, len(t.Columns))
			cells[0], cells[1] = table.Text(pub[n]["system"]+c[0]), table.Text("published")
			cells[5], cells[9] = pub.cell(n, c[1], 0), pub.cell(n, c[2], 0)
			if c[2] != "" {
				cells[8] = table.Published(table.Number{Value: 4, Decimals: 1})
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	din := pub["din-sql"]
	t.Notes = v.notes(parts.note(), "Question: with its evidence. Prompts: completions asked for, an item; prompt tokens: as calls were billed. "+meanNote,
		fmt.Sprintf("DIN-SQL asks four prompts; their fixed tokens: schema linking %s, classification and decomposition %s, generation %s, correction %s.",
			din["schema_linking"], din["classification"], din["generation"], din["correction"]),
		"Published: "+it2s+", Table 7, tokens of GPT-4o. DIN-SQL is no method here: its rows are for scale.", dinDoubt)
	return Output{Table: t}, nil
}

// partial is the parts of prompts that were counted for a run.
type partial struct {
	parts []makeup.Part
	hows  []string
}

// parts reads what assay tokens wrote into the run's folder, of a joined run into those of its parts beside.
func (v *view) parts() (p partial, err error) {
	if p.parts, err = makeup.Read(v.run.Dir); err != nil || v.run.Dir == "" {
		return p, err
	}
	for _, dir := range v.siblings() {
		more, err := makeup.Read(dir)
		if err != nil {
			return p, err
		}
		p.parts = append(p.parts, more...)
	}
	for _, x := range p.parts {
		if !slices.Contains(p.hows, x.How) {
			p.hows = append(p.hows, x.How)
		}
	}
	return p, nil
}

// of adds up parts of an arm's prompt; blank where they were not counted.
func (p partial) of(v *view, r row) func(names ...string) table.Cell {
	point := ""
	if len(r.point) > 0 {
		point = record.Listing([][]string{r.point})
	}
	return func(names ...string) table.Cell {
		sum, items := 0.0, 0
		for _, x := range p.parts {
			if x.Arm == r.arm.Name && x.Point == point {
				items = x.Items
				if slices.Contains(names, x.Name) {
					sum += x.Tokens
				}
			}
		}
		if items == 0 {
			return table.Cell{}
		}
		return table.Measured(table.Number{Value: sum, N: items})
	}
}

// note says how parts were counted, or how they can be.
func (p partial) note() string {
	if len(p.parts) == 0 {
		return "What the first prompt is made of is not counted yet: assay tokens RUN does it, then report again."
	}
	return fmt.Sprintf("Parts are what the first prompt loses when they are left out, means over %d items; tokens: %s.", p.parts[0].Items, strings.Join(p.hows, "; "))
}
