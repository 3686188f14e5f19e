package script

import (
	"slices"

	"assay/configs"

	"go.starlark.net/syntax"
)

// comparing are the host functions that choose by the similarity of texts, with the use as reports name it.
var comparing = map[string]string{"values": configs.SimilarValues, "search_column": configs.SimilarColumns, "database_tools": configs.SimilarColumns}

// compares lists what a program chooses by the similarity of texts: the functions that it calls say it.
func compares(program []byte) (uses []string) {
	if program == nil {
		return nil
	}
	f, err := (&syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}).Parse(methodFile, program, 0)
	if err != nil { // the folder was compiled before
		return nil
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			if fn, ok := call.Fn.(*syntax.Ident); ok {
				if use := comparing[fn.Name]; use != "" && !slices.Contains(uses, use) {
					uses = append(uses, use)
				}
			}
		}
		return true
	})
	return uses
}
