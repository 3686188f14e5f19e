package sqlite

import (
	"testing"

	"assay/prompting/sql/hostile"
)

var readers = map[string]func(string){
	"Newer":     func(sql string) { Newer(sql) },
	"Statement": func(sql string) { Engine{}.Statement(sql) }, //nolint:errcheck // most are refused
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, readers) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, readers) }
