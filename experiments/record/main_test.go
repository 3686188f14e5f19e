package record_test

import (
	"os"
	"testing"

	"assay/experiments/catalog"
	"assay/experiments/record"
)

func TestMain(m *testing.M) {
	record.Hand(catalog.Known)
	os.Exit(m.Run())
}
