package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/configs/output"
	"assay/experiments/axes"
)

// identify gives every item an id, and makes the ids unique.
func identify(items []item) {
	taken := make(map[string]bool, len(items))
	for i := range items {
		it := &items[i]
		if it.id == "" {
			sum := sha256.Sum256([]byte(it.question + "\x00" + it.gold))
			it.id = it.db + "-" + hex.EncodeToString(sum[:4])
		}
		id := it.id
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", it.id, n)
		}
		it.id, taken[id] = id, true
	}
}

// keep applies the filters that need no database. A filter value that no item has is an error.
func keep(items []item, f configs.Filter, set string) ([]item, error) {
	bare := make([]string, len(f.IDs))
	for i, id := range f.IDs {
		bare[i] = strings.TrimPrefix(id, set+"/")
	}
	var err error
	for _, by := range []struct {
		key    string
		values []string
		of     func(item) string
	}{
		{"db", f.DB, func(it item) string { return it.db }},
		{"difficulty", f.Difficulty, func(it item) string { return it.difficulty }},
		{"ids", bare, func(it item) string { return it.id }},
	} {
		if items, err = only(items, by.key, by.values, by.of); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func keepHardness(all []Example, levels []string) ([]Example, error) {
	return only(all, "hardness", levels, func(x Example) string { return x.Hardness })
}

// keepFeatures keeps the items whose gold query meets every condition of the filter. An item whose gold query does not parse
// is left out with a warning; a condition that no item meets is an error.
func (l *loader) keepFeatures(items []item, set string) ([]item, error) {
	if len(l.cfg.Filter.Features) == 0 {
		return items, nil
	}
	features := make(map[string]string, len(items))
	for _, it := range items {
		if features[it.id] = axes.Features(it.gold); features[it.id] == "" {
			l.warn(l.cfg.Path, set+"/"+it.id, "left out by dataset.filter.features: its gold is no SELECT that parses")
		}
	}
	for _, text := range l.cfg.Filter.Features {
		c, err := configs.ParseCondition(text)
		if err != nil {
			return nil, err
		}
		var kept []item
		for _, it := range items {
			if n, known := axes.Count(features[it.id], c.Feature); known && c.Holds(n) {
				kept = append(kept, it)
			}
		}
		if len(kept) == 0 {
			return nil, fmt.Errorf("dataset.filter.features matches no item: %q, of the %d that are left before it", text, len(items))
		}
		items = kept
	}
	return items, nil
}

// only keeps the elements with one of the values; without values it keeps all.
func only[T any](all []T, key string, values []string, of func(T) string) ([]T, error) {
	if len(values) == 0 {
		return all, nil
	}
	found := map[string]bool{}
	var out []T
	for _, one := range all {
		if v := of(one); slices.Contains(values, v) {
			found[v] = true
			out = append(out, one)
		}
	}
	var missing []string
	for _, v := range values {
		if !found[v] {
			missing = append(missing, fmt.Sprintf("%q", v))
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("dataset.filter.%s matches no item: %s", key, strings.Join(missing, ", "))
	}
	return out, nil
}

// hash identifies the items and databases of a run, wherever the files lie.
func (l *loader) hash(all []Example) (string, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	if err := enc.Encode(l.sources); err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, x := range all {
		if err := enc.Encode([]string{x.Question.ID, x.Question.Text, x.Question.Evidence, x.Gold, x.Difficulty}); err != nil {
			return "", err
		}
		if seen[x.Question.DB] {
			continue
		}
		seen[x.Question.DB] = true
		b, err := l.bases.get(x.Question.DB)
		if err != nil && !errors.Is(err, errNoBase) {
			return "", err
		}
		if err := enc.Encode(append([]string{x.Question.DB}, b.hashes...)); err != nil {
			return "", err
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// cachedHash is a large file's hash in the cache, with what shows that the file has not changed.
type cachedHash struct {
	Size, Modified int64
	Hash           string
}

// cacheFrom is the size from which a file's hash is cached: BIRD's databases have gigabytes, which take minutes to hash.
const cacheFrom = 8 << 20

// fileHash is the SHA-256 of a file in hex. The hash of a large file is cached under its path, and
// used as long as the file's size and modification time are the same.
func fileHash(ctx context.Context, cache, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() < cacheFrom {
		return readHash(ctx, path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(abs))
	note := filepath.Join(cache, "hashes", hex.EncodeToString(sum[:12])+".json")
	var kept cachedHash
	if b, err := input.Read(note, input.Own); err == nil && json.Unmarshal(b, &kept) == nil &&
		kept.Size == info.Size() && kept.Modified == info.ModTime().UnixNano() && len(kept.Hash) == 2*sha256.Size {
		return kept.Hash, nil
	}
	hash, err := readHash(ctx, path)
	if err != nil {
		return "", err
	}
	if b, err := json.Marshal(cachedHash{info.Size(), info.ModTime().UnixNano(), hash}); err == nil {
		_ = writeWhole(note, b) // without the cached hash the file is only read again
	}
	return hash, nil
}

func readHash(ctx context.Context, path string) (string, error) {
	f, err := input.Open(path, input.Database)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f.Until(ctx)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sameContent compares two files byte for byte, up to the first difference.
func sameContent(ctx context.Context, a, b string) (bool, error) {
	files := [2]*input.File{}
	for i, path := range []string{a, b} {
		f, err := input.Open(path, input.Database)
		if err != nil {
			return false, err
		}
		defer f.Close()
		files[i] = f.Until(ctx)
	}
	if files[0].Info().Size() != files[1].Info().Size() {
		return false, nil
	}
	var bufs [2][8 << 10]byte
	for {
		n, err := io.ReadFull(files[0], bufs[0][:])
		m, err2 := io.ReadFull(files[1], bufs[1][:])
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if n != m || !bytes.Equal(bufs[0][:n], bufs[1][:m]) {
			return false, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return true, nil
		}
		if err = errors.Join(err, err2); err != nil {
			return false, err
		}
	}
}

// writeWhole writes a file under another name and renames it, so that no reader sees a part of it.
func writeWhole(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return output.File(path, func(w io.Writer) error { _, err := w.Write(b); return err })
}
