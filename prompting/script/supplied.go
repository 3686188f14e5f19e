package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/prompting/script/jinja"
	"assay/prompting/script/star"
)

// Texts that an experiment supplies: files of others, such as an author's prompts, that a method reads from where they lie. A
// method names them in texts, and an experiment says where they are as it replaces blocks, so that their content is part of a
// run's identity and a copy of it lies in the run's folder.

// textName is the form of a supplied text's name, which is a key of an experiment.
var textName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// suppliedBy reads the list texts of method.star.
func (f *Folder) suppliedBy(p *star.Program) ([]string, error) {
	v := p.Global("texts")
	if v == nil {
		return nil, nil
	}
	names, err := texts(v)
	if err != nil {
		return nil, fmt.Errorf("%s: texts: %w", methodFile, err)
	}
	blocks := f.blocks()
	for i, name := range names {
		switch {
		case !textName.MatchString(name):
			return nil, fmt.Errorf("%s: texts: %q: a name is small letters, digits and _, as in \"tool_desc\"", methodFile, name)
		case slices.Contains(kinds, name) && name != Answer, slices.Contains(blocks, name), slices.Contains(names[:i], name):
			return nil, fmt.Errorf("%s: texts: %q is also a block, a part or another text: give it a name of its own", methodFile, name)
		}
	}
	return names, nil
}

// suppliedTexts takes the texts that an arm supplies out of the blocks that it replaces. A text that it does not supply is the
// folder's file of that name, where there is one.
func (f *Folder) suppliedTexts(kind string, blocks map[string]jinja.Block) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range f.supplied {
		if b, ok := blocks[name]; ok {
			out[name] = strings.ReplaceAll(b.Text, "\r\n", "\n")
			delete(blocks, name)
			continue
		}
		own, ok := f.files[name]
		if !ok {
			return nil, fmt.Errorf("text %q is not supplied: state its file, blocks.%s = \"PATH\"", name, strings.TrimPrefix(keyOf(kind)+"."+name, "."))
		}
		out[name] = strings.ToValidUTF8(string(own), "\uFFFD")
	}
	return out, nil
}

// file returns a text by its name: one that the experiment supplies, or a file of the folder.
func (p *Part) file(name string) (string, error) {
	if text, ok := p.texts[name]; ok {
		return text, nil
	}
	b, ok := p.folder.files[name]
	if !ok {
		return "", fmt.Errorf("file: the folder has no file %q", name)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}
