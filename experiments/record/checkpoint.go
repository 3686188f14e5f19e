package record

import (
	"errors"
	"io"
	"os"
)

// Checkpoint puts what is written so far under the run's names, as Commit does, and leaves the writer open: a reader
// sees the run as it stands, m.Complete being false. It copies the files.
func (w *Writer) Checkpoint(m Manifest, config map[string]any, questions []Question) error {
	return w.put(m, config, questions, (*sheet).copy)
}

// copy puts the rows so far under the file's name.
func (s *sheet) copy() error {
	s.splicer.Flush()
	if err := s.splicer.Error(); err != nil {
		return err
	}
	from, err := os.Open(s.file.Name())
	if err != nil {
		return err
	}
	err = writeFile(s.path, func(f io.Writer) error {
		_, err := io.Copy(f, from)
		return err
	})
	return errors.Join(err, from.Close())
}
