package input

import (
	"path/filepath"
	"strings"
)

// Glob returns the paths below a folder that match a pattern of [filepath.Match], given in parts as to [filepath.Join]. Its
// error is a bad pattern. Unlike in [filepath.Glob], brackets and stars in the folder's own name stand for themselves.
func Glob(dir string, pattern ...string) ([]string, error) {
	return filepath.Glob(filepath.Join(append([]string{literal(dir)}, pattern...)...))
}

// literal escapes a folder's name. On Windows a backslash separates folders, and nothing can be escaped.
func literal(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
