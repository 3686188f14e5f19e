package dataset_test

import (
	"os"
	"testing"

	"assay/experiments/catalog"
	"assay/experiments/dataset"
)

func TestMain(m *testing.M) {
	dataset.Hand(catalog.Known)
	os.Exit(m.Run())
}
