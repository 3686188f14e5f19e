package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"

	"assay/configs/input"
)

// Digest implements engine.Describer. It hashes the file and, where there is one, its write-ahead log, which holds
// committed changes that the file does not have yet, and lies beside the file itself where the path is a symbolic link.
func (Engine) Digest(ctx context.Context, path string) (string, error) {
	h := sha256.New()
	if err := hashFile(ctx, h, path); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(real + "-wal"); err == nil && info.Size() > 0 {
		if err := hashFile(ctx, h, real+"-wal"); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashFile adds the bytes of a regular file to h. It checks ctx after every block, since databases can be large.
func hashFile(ctx context.Context, h hash.Hash, path string) error {
	f, err := input.Open(path, input.Database)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return ctx.Err()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}
