package configs_test

import (
	"os"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
)

func TestMain(m *testing.M) {
	configs.Hand(catalog.Known)
	os.Exit(m.Run())
}
