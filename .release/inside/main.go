// Inside says what is in a Go binary: a folder with the licences of all modules that it was built from, and a list of the modules
// as CycloneDX (SBOM).
//
// It reads the modules from the binary itself, finds their folders in the module cache, and recognizes their licences by their
// texts. A module without a licence file, or with one that no known licence resembles, is an error: nobody may be given it then.
//
//	inside BINARY DIR    # writes DIR/licences/MODULE/..., DIR/licences/README.md and DIR/sbom.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licensecheck"
)

// part is one module of the binary, with its licence files.
type part struct {
	path, version, sum string
	ids                []string          // SPDX identifiers
	files              map[string][]byte // by name
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "inside:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: inside BINARY DIR")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	parts := []part{{path: "std", version: info.GoVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, part{path: m.Path, version: m.Version, sum: m.Sum})
	}
	var errs []error
	for i := range parts {
		errs = append(errs, parts[i].read())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := writeLicences(filepath.Join(args[1], "licences"), parts); err != nil {
		return err
	}
	return writeSBOM(filepath.Join(args[1], "sbom.cdx.json"), info, parts)
}

// licence matches the names of files that state a licence or what it asks to be shown.
var licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|notice|copyright|patents|authors)([-._].*)?$`)

// patents is how the grant of patents beside Go's own licences is recognized, which is no licence.
const patents = "GooglePatentsFile"

// stated are the licences of modules whose texts no known one resembles, as their files say.
var stated = map[string]string{
	"github.com/golang/freetype": "FTL OR GPL-2.0-or-later",
	"github.com/ajstarks/svgo":   "CC-BY-4.0",
}

// read finds the licence files of a module and recognizes them.
func (p *part) read() error {
	dir, err := p.folder()
	if err != nil {
		return err
	}
	names, err := licenceFiles(dir)
	if err != nil {
		return err
	}
	p.files = map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		p.files[name] = b
		for _, m := range licensecheck.Scan(b).Match {
			if !m.IsURL && m.ID != patents && !slices.Contains(p.ids, m.ID) {
				p.ids = append(p.ids, m.ID)
			}
		}
	}
	if id := stated[p.path]; id != "" {
		p.ids = []string{id}
	}
	if len(p.files) == 0 || len(p.ids) == 0 {
		return fmt.Errorf("%s %s: no licence that is known, in %d files of %s", p.path, p.version, len(p.files), dir)
	}
	slices.Sort(p.ids)
	return nil
}

// licenceFiles lists the files of a module that state its licences: beside its code, and in a folder of licences.
func licenceFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !licence.MatchString(e.Name()) {
			continue
		}
		if !e.IsDir() {
			names = append(names, e.Name())
			continue
		}
		below, err := filepath.Glob(filepath.Join(dir, e.Name(), "*.txt"))
		if err != nil {
			return nil, err
		}
		for _, b := range below {
			names = append(names, filepath.Join(e.Name(), filepath.Base(b)))
		}
	}
	return names, nil
}

// folder returns the module's folder in the cache, or Go's own.
func (p *part) folder() (string, error) {
	if p.path == "std" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		return strings.TrimSpace(string(out)), err
	}
	out, err := exec.Command("go", "mod", "download", "-json", p.path+"@"+p.version).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", p.path, p.version, err)
	}
	var got struct{ Dir string }
	return got.Dir, json.Unmarshal(out, &got)
}

func writeLicences(dir string, parts []part) error {
	var list strings.Builder
	list.WriteString("# Licences of what is inside\n\nassay itself is under the licence beside this folder. It was built from these modules; SQLite, inside\nmattn/go-sqlite3, is in the public domain.\n\n| module | version | licence |\n|---|---|---|\n")
	for _, p := range parts {
		fmt.Fprintf(&list, "| [%s](%s) | %s | %s |\n", p.path, p.path, p.version, strings.Join(p.ids, ", "))
		for name, text := range p.files {
			path := filepath.Join(dir, filepath.FromSlash(p.path), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(path, text, 0o666); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), []byte(list.String()), 0o666)
}

// writeSBOM writes the list of modules. Its time is that of the revision, so that equal sources give equal bytes.
func writeSBOM(path string, info *debug.BuildInfo, parts []part) error {
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{BOMRef: "assay", Type: cdx.ComponentTypeApplication, Name: "assay", Version: os.Getenv("VERSION"),
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}}
	for _, s := range info.Settings {
		if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			bom.Metadata.Timestamp = t.UTC().Format(time.RFC3339)
		}
	}
	components := []cdx.Component{}
	for _, p := range parts {
		purl := fmt.Sprintf("pkg:golang/%s@%s?goos=%s&goarch=%s", p.path, p.version, runtime.GOOS, runtime.GOARCH)
		c := cdx.Component{BOMRef: purl, PackageURL: purl, Type: cdx.ComponentTypeLibrary, Name: p.path, Version: p.version,
			Licenses: &cdx.Licenses{{Expression: strings.Join(p.ids, " AND ")}}}
		components = append(components, c)
	}
	bom.Components = &components
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom), f.Close())
}
