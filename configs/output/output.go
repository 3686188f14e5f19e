// Package output writes the files that a user names.
//
// What the path leads to, through symbolic links, decides: nothing or a regular file is written beside its place and put there
// when it is whole; a FIFO or a device is written to; "-" and any other name of the standard output is that. The new file has no
// name before it is whole where the system can do that (Linux's O_TMPFILE), so that a process that is killed leaves none;
// elsewhere its temporary name is removed by the next write to the same path, unless the process that made it still holds it.
//
// The package must never replace what is not a regular file, and never leave half of one under the name that was asked for.
package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Standard is the name of the standard output.
const Standard = "-"

// poll is how often a FIFO without a reader is tried again, because opening one cannot be interrupted.
const poll = 50 * time.Millisecond

// IsStandard reports whether a path is the standard output: "-", or a name of what the process has as such.
func IsStandard(path string) bool {
	if path == Standard {
		return true
	}
	named, err := os.Stat(path)
	if err != nil {
		return false
	}
	own, err := os.Stdout.Stat()
	return err == nil && os.SameFile(named, own) && !isNull(named)
}

// isNull reports whether a file is the null device, which many descriptors share: writing to it is no output.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// Write calls body with what the path names: stdout where that is the standard output, else a file, a FIFO or a device. A
// regular file is replaced as a whole, and stays as it was where body or the context fails. Missing folders are an error. The
// error names the path.
func Write(ctx context.Context, path string, stdout io.Writer, body func(io.Writer) error) error {
	if IsStandard(path) {
		return body(stdout)
	}
	if err := write(ctx, path, body); err != nil {
		if system, ok := errors.AsType[*fs.PathError](err); ok && system.Path == path {
			err = system.Err
		}
		return fmt.Errorf("output: write %q: %w", path, err)
	}
	return nil
}

// write is Write to what is not the standard output.
func write(ctx context.Context, path string, body func(io.Writer) error) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(ctx, target, 0o644, true, body)
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a folder: name a file in it")
	case info.Mode().IsRegular() && !system(target):
		return replace(ctx, target, info.Mode().Perm(), true, body)
	}
	return into(ctx, target, body)
}

// File writes a file of the program's own choice as a whole: the old one stays where body fails. What is there and no regular
// file is an error. Folders must exist.
func File(path string, body func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("output: write %q: there is something that is no file: remove it", path)
	}
	target, err := follow(path)
	if err == nil {
		err = replace(context.Background(), target, 0o644, false, body)
	}
	if err != nil {
		return fmt.Errorf("output: write %q: %w", path, err)
	}
	return nil
}

// follow returns where the symbolic links of a path lead, to a missing file too.
func follow(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil || system(path) {
			return path, nil // no link, or one of a descriptor, which is opened by its own name
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many symbolic links")
}

// system reports whether a path is one of the system's own folders, whose files stand for something else.
func system(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && (strings.HasPrefix(abs, "/dev/") && !strings.HasPrefix(abs, "/dev/shm/") || strings.HasPrefix(abs, "/proc/"))
}

// into writes to what is there. It waits for the reader of a FIFO, as long as the context lasts.
func into(ctx context.Context, path string, body func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	for errors.Is(err, syscall.ENXIO) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
		f, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now()) }) // what cannot wait has no deadline to set
	defer stop()
	err = errors.Join(body(f), f.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// replace writes a new file and gives it the name; sync waits until the disk has it.
func replace(ctx context.Context, path string, mode fs.FileMode, sync bool, body func(io.Writer) error) error {
	sweep(path)
	f, err := create(path)
	if err != nil {
		return err
	}
	defer f.discard()
	if err := body(f); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = f.Chmod(mode)
	if err == nil && sync {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	return f.publish(path)
}

// prefix begins the temporary names of a file.
func prefix(path string) string { return "." + filepath.Base(path) + ".part-" }

// sweep removes what killed processes left of the file.
func sweep(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // what is wrong with the folder shows when the file is made
	}
	for _, e := range entries {
		if left := filepath.Join(filepath.Dir(path), e.Name()); strings.HasPrefix(e.Name(), prefix(path)) && e.Type().IsRegular() && Abandoned(left) {
			_ = os.Remove(left)
		}
	}
}

// part is a file that has not its name yet.
type part struct {
	*os.File
	name string // its temporary name; empty where it has none
}

// create makes a part in the folder of path.
func create(path string) (*part, error) {
	if f, err := unnamed(filepath.Dir(path)); err == nil {
		return &part{f, ""}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), prefix(path)+"*")
	if err != nil {
		return nil, err
	}
	Hold(f)
	return &part{f, f.Name()}, nil
}

// publish gives the part its name. A part without any name cannot take one that is there, so that it gets another one first.
func (p *part) publish(path string) error {
	if p.name == "" {
		err := link(p.File, path)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		Hold(p.File)
		p.name = filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%d-%d", prefix(path), os.Getpid(), time.Now().UnixNano()))
		if err := link(p.File, p.name); err != nil {
			return err
		}
	}
	return os.Rename(p.name, path)
}

// discard closes the part, and removes the temporary name where it still has it.
func (p *part) discard() {
	if p.name != "" {
		_ = os.Remove(p.name)
	}
	_ = p.Close()
}
