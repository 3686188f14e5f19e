package record

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
)

// TestReserved: no metric of an experiment's own can have the name of a column beside which scores stand.
func TestReserved(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, &Run{Manifest: Manifest{Metrics: []Metric{{ID: "ex"}}}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ItemsFile, CandidatesFile, DroppedFile} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		head, err := bufio.NewReader(f).ReadString('\n')
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range strings.Split(strings.TrimSpace(head), ",") {
			if column != "ex" && !slices.Contains(configs.Reserved, column) {
				t.Errorf("%s: column %s is not in configs.Reserved", name, column)
			}
		}
	}
}
