// Package input opens the files that the program reads.
//
// A path is looked at, opened without waiting, and looked at again by its descriptor; what is not a regular file is refused
// (a pipe or a device would be read without an end), and so is a file that is longer than its [Bound]. The bytes are counted
// while they are read too, because a file can grow, and those of /proc have no size. [Text] also refuses what is not UTF-8,
// [Lines] a line that is too long, and [Shape] a JSON text with too many values or too deep.
//
// Every other package opens its inputs here, so that no file can block the program or fill the memory. The package must never
// create, change or remove a file.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// File is an open input: at most its bound can be read from it.
type File struct {
	f     *os.File
	path  string
	bound Bound
	left  int64 // bytes that may still be read
	ctx   context.Context
	info  fs.FileInfo
}

// Error says why a file cannot be used as an input.
type Error struct {
	Path string
	Err  error // what is wrong, and the remedy
}

// Error names the file.
func (e *Error) Error() string { return fmt.Sprintf("input: read %q: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Cause returns the cause of an error about a file without the operation and the path, for messages that name them.
func Cause(err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		err = own.Err
	}
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return system.Err
	}
	return err
}

// Open opens a regular file for reading, through symbolic links. The error is an [*Error] that says what the path is and what
// to do; a missing file's is [fs.ErrNotExist] too.
func Open(path string, b Bound) (*File, error) {
	f, err := open(path, b)
	if err != nil {
		return nil, &Error{path, Cause(err)}
	}
	return f, nil
}

// open is Open with errors that do not name the file yet. It looks before it opens, because some devices act when they are
// opened and a pipe's writer would see its reader go. The descriptor is what counts: the path may have changed in between.
func open(path string, b Bound) (*File, error) {
	if err := Regular(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err == nil && info.Size() > b.Most {
		err = b.over(info.Size())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return newFile(f, path, b, info), nil
}

func newFile(f *os.File, path string, b Bound, info fs.FileInfo) *File {
	return &File{f, path, b, b.Most, context.Background(), info}
}

// Regular fails where the path, through symbolic links, is not a regular file. It is for files that other code opens, SQLite's
// above all, and for paths that are searched: the error is an [*Error].
func Regular(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return &Error{path, Cause(err)}
	}
	return nil
}

// kinds names what is not a regular file.
var kinds = []struct {
	bit  fs.FileMode
	name string
}{
	{fs.ModeDir, "is a folder, not a file"},
	{fs.ModeNamedPipe, "is a FIFO, not a file: write its content to a file first"},
	{fs.ModeSocket, "is a socket, not a file"},
	{fs.ModeCharDevice, "is a character device, not a file"},
	{fs.ModeDevice, "is a device, not a file"},
}

// regular says what is not a regular file.
func regular(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	for _, k := range kinds {
		if info.Mode()&k.bit != 0 {
			return errors.New(k.name)
		}
	}
	return fmt.Errorf("is no regular file (%s)", info.Mode())
}

// Until lets reads fail once the context is done, and returns the file.
func (f *File) Until(ctx context.Context) *File { f.ctx = ctx; return f }

// Info describes the file as it was when it was opened.
func (f *File) Info() fs.FileInfo { return f.info }

// Read implements [io.Reader]. Beyond the bound it fails with an [*Error].
func (f *File) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	if int64(len(p)) > f.left+1 {
		p = p[:f.left+1]
	}
	n, err := f.f.Read(p)
	if f.left -= int64(n); f.left < 0 {
		f.left = 0
		return n - 1, &Error{f.path, f.bound.over(0)}
	}
	if err != nil && err != io.EOF {
		err = &Error{f.path, Cause(err)}
	}
	return n, err
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// Read returns a file's bytes.
func Read(path string, b Bound) ([]byte, error) {
	f, err := Open(path, b)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := f.info.Size()
	out := make([]byte, 0, size+1) // one more, so that a file as long as it says needs no second buffer
	for {
		n, err := f.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
	}
}

// Text returns a file's text without the byte order mark that some begin with. What is not UTF-8 is an error that says what it
// may be and how to convert it.
func Text(path string, b Bound) ([]byte, error) {
	raw, err := Read(path, b)
	if err != nil {
		return nil, err
	}
	text, err := UTF8(raw)
	if err != nil {
		return nil, &Error{path, err}
	}
	return text, nil
}
