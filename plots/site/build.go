package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"assay/configs/input"
	"assay/configs/output"
)

// ListFile is the list of the files that a site's folder has of the site, by which it is told what may be replaced or removed.
const ListFile = "assay-site.json"

// list is the content of ListFile: the key of each file by its path; empty of one that may be half made.
type list map[string]string

// Built is what Build did.
type Built struct {
	Made    int      // files that were written, since they are new or another than before
	Kept    int      // files that stayed as they were
	Removed int      // files of runs that are gone
	Failed  []string // pages that say why they could not be made, "path: cause"
	Bytes   int64    // of all files
}

// Options says how a site is built.
type Options struct {
	Fresh bool                // make every page, whatever the keys say
	Done  func(done, all int) // called after each page; nil: not
}

// Build makes the pages in the folder dir, each file whole or not at all. A page that cannot be made says why, and stops
// no other. Build refuses to replace a file that is not in the folder's list, and stops where a file cannot be written or ctx ends;
// the next Build goes on from there.
func Build(ctx context.Context, dir string, pages []Page, o Options) (b Built, err error) {
	fail := func(err error) (Built, error) { return b, fmt.Errorf("site: build %q: %w", dir, err) }
	had, err := begin(dir, pages)
	if err != nil {
		return fail(err)
	}
	has := list{}
	for path := range had {
		has[path] = had[path]
	}
	for i, p := range pages {
		if err := ctx.Err(); err != nil {
			return fail(errors.Join(context.Cause(ctx), has.write(dir)))
		}
		if has[p.Path], err = b.page(ctx, dir, p, had[p.Path], o.Fresh); err != nil {
			return fail(errors.Join(err, has.write(dir)))
		}
		if o.Done != nil {
			o.Done(i+1, len(pages))
		}
	}
	if b.Removed, err = sweep(dir, has, pages); err == nil {
		err = has.write(dir)
	}
	if err != nil {
		return fail(err)
	}
	return b, nil
}

// begin makes the folder and notes in its list what will be written, before it is. It returns the list of before.
func begin(dir string, pages []Page) (list, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	had, err := readList(dir)
	if err != nil {
		return nil, err
	}
	will := maps.Clone(had)
	for _, p := range pages {
		if _, own := had[p.Path]; own {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p.Path))); err == nil {
			return nil, fmt.Errorf("%s is there, and no site wrote it: name another folder, or remove it", p.Path)
		}
		will[p.Path] = ""
	}
	return had, will.write(dir)
}

// readList reads the folder's list; an empty one where there is none.
func readList(dir string) (list, error) {
	had := list{}
	b, err := input.Read(filepath.Join(dir, ListFile), input.Site)
	if errors.Is(err, fs.ErrNotExist) {
		return had, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &had)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: remove the folder and build the site again: %w", ListFile, err)
	}
	return had, nil
}

func (l list) write(dir string) error {
	b, err := json.MarshalIndent(l, "", " ")
	if err != nil {
		return err
	}
	return put(filepath.Join(dir, ListFile), append(b, '\n'))
}

// put writes a file, unless it has these bytes already.
func put(path string, text []byte) error {
	if old, err := os.Stat(path); err == nil && old.Size() == int64(len(text)) {
		if b, err := input.Read(path, input.Site); err == nil && bytes.Equal(b, text) {
			return nil
		}
	}
	return output.File(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// page makes one page where its key is not the one it had, and returns its key.
func (b *Built) page(ctx context.Context, dir string, p Page, had string, fresh bool) (key string, err error) {
	file := filepath.Join(dir, filepath.FromSlash(p.Path))
	before, statErr := os.Stat(file)
	if statErr == nil && p.Key != "" && p.Key == had && !fresh {
		b.Kept, b.Bytes = b.Kept+1, b.Bytes+before.Size()
		return had, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	text, why := p.Bytes(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	key = p.Key
	if why != nil {
		key = "" // what was amiss may be mended without a change of the run
		b.Failed = append(b.Failed, p.Path+": "+why.Error())
	}
	if err := put(file, text); err != nil {
		return "", err
	}
	after, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	b.Bytes += after.Size()
	if statErr == nil && os.SameFile(before, after) {
		b.Kept++
	} else {
		b.Made++
	}
	return key, nil
}

// Bytes makes the page. Where that fails it returns a page that says why, with the error.
func (p Page) Bytes(ctx context.Context) ([]byte, error) {
	var text bytes.Buffer
	err := p.Make(ctx, &text)
	if err == nil {
		return text.Bytes(), nil
	}
	text.Reset()
	if path.Ext(p.Path) == ".js" {
		return []byte("// " + fmt.Sprintf("%q", err.Error()) + "\n"), err
	}
	return failure(p.Path, err), err
}

// sweep removes the files of the list that are no page any more, and the folders that this leaves empty. It reaches nothing
// outside the folder, whatever the list says.
func sweep(dir string, has list, pages []Page) (removed int, err error) {
	wanted := map[string]bool{}
	for _, p := range pages {
		wanted[p.Path] = true
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if wanted[name] {
			continue
		}
		delete(has, name)
		local, err := filepath.Localize(name)
		if err != nil {
			continue
		}
		if st, err := root.Lstat(local); err != nil || !st.Mode().IsRegular() {
			continue
		}
		if err := root.Remove(local); err != nil {
			return removed, err
		}
		removed++
		_ = root.Remove(filepath.Dir(local)) // which fails unless it is empty
	}
	return removed, nil
}
