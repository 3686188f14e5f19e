package dataset

import (
	"path/filepath"

	"assay/configs"
	"assay/prompting/exemplar"
)

// spiderKind is Spider (Yu et al. 2018) and its variants.
var spiderKind = kind{
	Kind: configs.Kind{Choice: configs.Choice{ID: "spider", Shows: "Spider and its variants Realistic, Syn and DK"}, File: true,
		Splits: splitNames(spiderSplits), Judges: spiderJudges},
	questions: spiderQuestions, open: openSpider, train: spiderTrain, shipped: exemplar.OfSpider, named: true,
}

// spiderJudges are the metrics of Spider's own evaluator.
var spiderJudges = []string{"ex", "em"}

// spiderSplits are Spider's files and those of its variants, each as its authors name it. Syn has its own dev.json,
// which holds the question under another name; Realistic has ids in some copies.
var spiderSplits = []split{
	{name: "dev", files: []string{"dev.json"}},
	{name: "train", files: []string{"train_spider.json", "train_spider.min.json"}},
	{name: "train_others", files: []string{"train_others.json"}},
	{name: "test", files: []string{"test.json", "test_data/test.json", "test_data/dev.json"}},
	{name: "realistic", files: []string{"spider-realistic.json"}},
	{name: "syn", files: []string{"dev.json"}, question: "SpiderSynQuestion"},
	{name: "dk", files: []string{"Spider-DK.json"}},
}

func (s split) spiderForm() form {
	q := s.question
	if q == "" {
		q = "question"
	}
	return form{id: []string{"id"}, question: []string{q}, gold: []string{"query"}}
}

func spiderQuestions(l *loader) ([]item, error) {
	s, path, err := l.splitFile(spiderSplits, l.cfg.Split, l.cfg.Questions)
	if err != nil {
		return nil, err
	}
	return l.readQuestions(path, s.spiderForm())
}

func spiderTrain(l *loader) ([]item, error) {
	s, path, err := l.splitFile(spiderSplits, "train", "")
	if err != nil {
		return nil, err
	}
	return l.readQuestions(path, s.spiderForm())
}

func openSpider(l *loader) error {
	names := []string{"database", "databases"}
	tables := []string{"tables.json"}
	if l.cfg.Split == "test" {
		names = append([]string{"test_database", "test_data/database"}, names...)
		tables = []string{"test_tables.json", "test_data/tables.json", "tables.json"}
	}
	for _, n := range names {
		l.bases.folders = append(l.bases.folders, filepath.Join(l.cfg.Path, n))
	}
	l.bases.folders = append(l.bases.folders, l.cfg.Databases...)
	return l.tablesIn(withParents(l.cfg.Path, l.cfg.Databases), tables)
}

// withParents is the dataset's folder and those around further database folders, where their tables.json lies.
func withParents(path string, databases []string) []string {
	out := []string{path}
	for _, d := range databases {
		out = append(out, filepath.Dir(d))
	}
	return out
}
