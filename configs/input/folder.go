package input

import (
	"io/fs"
	"os"
	"syscall"
)

// Folder returns the files of a folder. None outside of it can be reached: a link that leads out is an error when it is
// opened, and so is what is neither a folder nor a regular file, or a file longer than the bound.
func Folder(dir string, b Bound) (fs.FS, error) {
	root, err := os.OpenRoot(dir + string(os.PathSeparator) + ".") // so that opening a FIFO does not wait for a writer
	if err != nil {
		return nil, &Error{dir, Cause(err)}
	}
	return folder{root, b}, nil
}

// folder implements [fs.FS].
type folder struct {
	root *os.Root
	most Bound
}

// Open implements [fs.FS].
func (d folder) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: Cause(err)} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	info, err := d.root.Stat(name)
	if err == nil && !info.IsDir() {
		err = regular(info)
	}
	if err != nil {
		return fail(err)
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fail(err)
	}
	if info, err = f.Stat(); err == nil && info.IsDir() {
		return f, nil
	}
	if err == nil {
		err = regular(info)
	}
	if err == nil && info.Size() > d.most.Most {
		err = d.most.over(info.Size())
	}
	if err != nil {
		f.Close()
		return fail(err)
	}
	return &member{File: newFile(f, name, d.most, info)}, nil
}

// member is a file of a folder.
type member struct{ *File }

// Stat implements [fs.File].
func (m *member) Stat() (fs.FileInfo, error) { return m.info, nil }
