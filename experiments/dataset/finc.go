package dataset

import (
	"os"
	"path/filepath"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
)

// fincKind is BIRD-Financial Corrected.
var fincKind = kind{
	Kind: configs.Kind{Choice: configs.Choice{ID: "bird-finc", Shows: "BIRD-Financial Corrected: its financial questions as given, with corrected SQL, and with both corrected"},
		File: true, Split: fincSplits[0].name, Splits: splitNames(fincSplits), Judges: birdJudges},
	questions: fincQuestions, open: openFinC, train: birdTrain, shipped: exemplar.OfSample,
}

// fincSplits are the versions of BIRD-Financial Corrected: the financial questions of BIRD dev as they were, with the
// gold queries corrected, and with questions and gold queries corrected. The files are named as in their authors' repository, in its
// folder datasets (Wretblad et al. 2024, "Understanding the effects of noise in text-to-SQL: an examination of the
// BIRD-Bench benchmark"), and have BIRD's form. An item has the same question_id in all three.
var fincSplits = []split{
	{name: "original", files: []string{"financial.json", "datasets/financial.json"}},
	{name: "sql", files: []string{"financial_corrected_sql.json", "datasets/financial_corrected_sql.json"}},
	{name: "data", files: []string{"financial_corrected.json", "datasets/financial_corrected.json"}},
}

func fincQuestions(l *loader) ([]item, error) {
	_, path, err := l.splitFile(fincSplits, l.cfg.Split, l.cfg.Questions)
	if err != nil {
		return nil, err
	}
	return l.readQuestions(path, birdForm)
}

// openFinC finds the database, financial.sqlite, and database_description next to the questions, where that repository
// has them, and where BIRD does.
func openFinC(l *loader) error {
	if err := openBIRD(l); err != nil {
		return err
	}
	l.bases.flat = []string{filepath.Join(l.cfg.Path, "datasets"), filepath.Clean(l.cfg.Path)}
	l.bases.find = func(db string) (string, error) {
		for _, folder := range l.bases.flat {
			path := filepath.Join(folder, db+".sqlite")
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return path, nil
			}
		}
		return "", nil
	}
	l.bases.enrich = func(db string, d *schema.Database) {
		for _, folder := range l.bases.flat {
			if l.describeFrom(filepath.Join(folder, "database_description"), d) {
				return
			}
		}
		l.describe(db, d)
	}
	return nil
}
