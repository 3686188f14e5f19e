package wire

import (
	"path"
	"strings"
)

// Placeless returns the name of a model or file without its place: llama.cpp names a model by the path of its file, which
// is no part of what the model is. Names with an owner, "owner/model", are no paths, and are kept.
func Placeless(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	drive := len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/'
	if drive || strings.HasPrefix(slashed, "/") || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || strings.HasPrefix(slashed, "~/") {
		return path.Base(slashed)
	}
	return name
}
