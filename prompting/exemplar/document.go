package exemplar

// document is the TOML layout of an annotation file.
type document struct {
	Demo []entry `toml:"demo"`
}

// entry is a demonstration as an annotation file has it.
type entry struct {
	ID             string      `toml:"id"`
	DB             string      `toml:"db"`
	Question       string      `toml:"question"`
	QuestionSHA256 string      `toml:"question_sha256"`
	SQL            string      `toml:"sql"`
	Evidence       string      `toml:"evidence"`
	CoT            string      `toml:"cot"`
	Plan           string      `toml:"plan"`
	Dialogue       string      `toml:"dialogue"`
	Naturalness    float64     `toml:"naturalness"`
	Reviewed       bool        `toml:"reviewed"`
	Note           string      `toml:"note"`
	Simplify       string      `toml:"simplify"`
	By             Provenance  `toml:"by"`
	Step           []stepEntry `toml:"step"`
	Part           []partEntry `toml:"part"`
}

type stepEntry struct {
	Question string `toml:"question"`
	Columns  string `toml:"columns"`
	SQL      string `toml:"sql"`
}

type partEntry struct {
	Number   string `toml:"number"`
	Question string `toml:"question"`
	Analysis string `toml:"analysis"`
	Pseudo   string `toml:"pseudo"`
	SQL      string `toml:"sql"`
}

var (
	demoKeys = []string{"id", "db", "question", "question_sha256", "sql", "evidence", "cot", "plan", "dialogue", "naturalness", "reviewed", "note", "by", "step", "simplify", "part"}
	stepKeys = []string{"question", "columns", "sql"}
	partKeys = []string{"number", "question", "analysis", "pseudo", "sql"}
	byKeys   = []string{"cot", "steps", "columns", "division", "plan", "dialogue", "naturalness"}
)

// demo is the demonstration of an entry, and what is wrong with its dialogue.
func (e entry) demo() (d Demo, faults []string) {
	d = Demo{ID: e.ID, DB: e.DB, Question: e.Question, QuestionSHA256: e.QuestionSHA256, SQL: e.SQL, Evidence: e.Evidence,
		CoT: e.CoT, Plan: e.Plan, Naturalness: e.Naturalness, Reviewed: e.Reviewed, Note: e.Note, By: e.By}
	for _, s := range e.Step {
		d.Steps = append(d.Steps, Step(s))
	}
	for _, p := range e.Part {
		if d.Division == nil {
			d.Division = &Division{Simplify: e.Simplify}
		}
		d.Division.Parts = append(d.Division.Parts, Part(p))
	}
	if e.Dialogue != "" {
		var err error
		if d.Dialogue, err = ParseDialogue(e.Dialogue); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return d, faults
}
