package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs/output"
	"assay/prompting/methods"
	"assay/prompting/script"
	"assay/prompting/starter"

	"github.com/spf13/cobra"
)

func (a *app) methodCopyCmd() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "copy NAME DIR",
		Short: "Copy a method's files into a folder, to change them there",
		Long: `Copy the files of a built-in method or part, or of another folder, into DIR, and print what to write into an experiment.
What the files load from "@assay//..." stays where it is. Nothing is written over unless --force is given.`,
		Example: "  assay method copy qdecomp mine",
		Args:    args(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, given []string) error {
			id, err := a.methodID(given[0])
			if err != nil {
				return err
			}
			return a.methodCopy(id, given[1], force)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "write over files that are there")
	return c
}

func (a *app) methodCopy(id, dir string, force bool) error {
	f, err := methods.Open(id)
	if err != nil {
		return err
	}
	names, content := f.Files()
	if !force {
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
				return fmt.Errorf("%s is there already: name another folder, or write over it with --force", filepath.Join(dir, name))
			}
		}
	}
	for _, name := range names {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := output.File(to, func(w io.Writer) error { _, err := w.Write(content[name]); return err }); err != nil {
			return err
		}
		fmt.Fprintln(a.out, to)
	}
	a.note("In an experiment beside it:")
	for _, part := range f.Row().Parts {
		a.note("    %s", partLine(part, dir))
	}
	return nil
}

// partLine is what an experiment says to use a folder as a part.
func partLine(part, dir string) string {
	path := filepath.ToSlash(filepath.Clean(dir))
	if !filepath.IsAbs(dir) && !strings.HasPrefix(path, "../") {
		path = "./" + path
	}
	switch part {
	case script.Answer:
		return fmt.Sprintf("method = %q", path)
	case script.Link:
		return fmt.Sprintf("link = [%q]", path)
	case script.Schema:
		return fmt.Sprintf("schema.format = %q", path)
	}
	return fmt.Sprintf("%s = %q", part, path)
}

func (a *app) methodNewCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "new DIR",
		Short: "Begin a method of your own: a folder of two stages, and an experiment",
		Long: `Write a small method of two stages into the folder DIR, and beside it an experiment, DIR.toml, that compares it with
prompting for the SQL directly and with a chain of thought. The experiment runs as it stands, without a key or a network.`,
		Example: "  assay method new mine\n  assay method check mine\n  assay run mine.toml",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			dir := given[0]
			if name := filepath.Base(filepath.Clean(dir)); slices.Contains(builtIns(), name) {
				return fmt.Errorf("%q is the name of a built-in method or part: name another folder", name)
			}
			files, err := starter.Write(dir)
			if errors.Is(err, fs.ErrPermission) {
				return fmt.Errorf("%w: name a folder where you may write", err)
			}
			if err != nil {
				return err
			}
			for _, file := range files {
				fmt.Fprintln(a.out, file)
			}
			a.note("Next: assay method check %s, then assay run %s", dir, files[len(files)-1])
			return nil
		},
	}
}
