package record

import (
	"errors"
	"io"
	"os"

	"assay/configs/output"
)

// Checkpoint publishes the rows written so far under the names of the run's files, as Commit does, and leaves the writer
// open. Readers then see an incomplete run; m.Complete must be false. It copies the files, so its cost grows with the run.
func (w *Writer) Checkpoint(m Manifest, config map[string]any, questions []Question) error {
	return w.put(m, config, questions, (*sheet).copy)
}

// copy publishes the rows so far under the file's name.
func (s *sheet) copy() error {
	s.splicer.Flush()
	if err := s.splicer.Error(); err != nil {
		return err
	}
	from, err := os.Open(s.file.Name())
	if err != nil {
		return err
	}
	err = output.File(s.path, func(f io.Writer) error {
		_, err := io.Copy(f, from)
		return err
	})
	return errors.Join(err, from.Close())
}
