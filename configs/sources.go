package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// SourcesDir is the folder of a run folder that holds the copies of what its arms use, and blocksDir that of block files.
const (
	SourcesDir = "methods"
	blocksDir  = SourcesDir + "/blocks"
)

// MethodSource is a folder of a method or part that a run uses, or the file of a block.
type MethodSource struct {
	ID     string // name of what is built in, otherwise an absolute path
	Copy   string // place of the copy in a run folder, with slashes: "methods/mine", "methods/blocks/rules.txt"
	Digest string // "sha256:..."; empty where it is not known
	Block  bool   // a file of a block
}

// Own reports whether the source is the user's, and so named in an experiment by its path.
func (s MethodSource) Own() bool { return isPath(s.ID) }

// MethodSources lists what the arms of cells use, each once: in the order of the cells, folders before the files of blocks.
// Two of one name have different copies.
func (known Known) MethodSources(cells []Cell) []MethodSource {
	var folders, files []MethodSource
	add := func(to *[]MethodSource, s MethodSource) {
		if s.ID != "" && !slices.ContainsFunc(*to, func(have MethodSource) bool { return have.ID == s.ID }) {
			*to = append(*to, s)
		}
	}
	for _, c := range cells {
		add(&folders, MethodSource{ID: c.Arm.Method, Digest: c.Arm.Row.Digest})
		for _, part := range append([]string{""}, partNames...) {
			for _, id := range c.Arm.used(part) {
				add(&folders, MethodSource{ID: id, Digest: known.find(part, id).Digest})
			}
			replaced := c.Arm.BlocksOf(part)
			for _, name := range slices.Sorted(maps.Keys(replaced)) {
				add(&files, MethodSource{ID: replaced[name], Block: true})
			}
		}
	}
	out := slices.Concat(folders, files)
	taken := []string{blocksDir}
	for i := range out {
		out[i].Copy = freeCopy(out[i], taken)
		taken = append(taken, out[i].Copy)
		if out[i].Block {
			out[i].Digest = blockDigest(out[i].ID)
		}
	}
	return out
}

// freeCopy returns the first place for a copy that is neither within another copy nor around one.
func freeCopy(s MethodSource, taken []string) string {
	dir := SourcesDir
	if s.Block {
		dir = blocksDir
	}
	within := func(a, b string) bool { return strings.HasPrefix(a+"/", b+"/") }
	place := path.Join(dir, PartName(s.ID))
	for n := 2; slices.ContainsFunc(taken, func(other string) bool {
		return within(other, place) || within(place, other) && !(s.Block && other == blocksDir)
	}); n++ {
		place = path.Join(dir, fmt.Sprint(n), PartName(s.ID))
	}
	return place
}

// DigestOf returns the digest of what a path in an experiment names, by the key as Placeless gives it: of a method's or part's
// folder as Folder has it, of a block's file over its text. Empty: another key, or it cannot be read.
func (known Known) DigestOf(key, path string) string {
	k := armScope.find(key)
	switch {
	case k == nil:
	case k.kind == blocks:
		return blockDigest(path)
	case k.part != "":
		return known.Part(path).Digest
	}
	return ""
}

// Named is DigestOf with the name before it that a method or part has among candidates and in the seeds of its requests.
func (known Known) Named(key, path string) string {
	digest := known.DigestOf(key, path)
	if k := armScope.find(key); digest == "" || k.part == "" {
		return digest
	}
	return known.Part(path).ID + " " + digest
}

// IsSource reports whether the paths of a key, as Placeless gives it, are those of methods, parts and blocks.
func IsSource(key string) bool {
	k := armScope.find(key)
	return k != nil && (k.part != "" || k.kind == blocks)
}

// blockDigest identifies the text of a block's file; empty where it cannot be read.
func blockDigest(path string) string {
	text, err := BlockText(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}
