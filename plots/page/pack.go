package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html/template"

	"github.com/klauspost/compress/gzip"
)

// block is one piece of the page's data.
type block struct {
	id   string // of its element
	body string // JSON, compressed by gzip, in base64
}

// pack makes a block of a value. Bytes that are not UTF-8 become U+FFFD.
func pack(id string, v any) (block, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return block{}, err
	}
	enc := json.NewEncoder(z)
	enc.SetEscapeHTML(false) // base64 holds no HTML
	if err := enc.Encode(v); err != nil {
		return block{}, err
	}
	if err := z.Close(); err != nil {
		return block{}, err
	}
	return block{id, base64.StdEncoding.EncodeToString(b.Bytes())}, nil
}

// html returns the block's element. Neither id nor body has a character with a meaning in HTML.
func (b block) html() template.HTML {
	return template.HTML(`<script type="text/plain" id="` + b.id + `">` + b.body + "</script>\n")
}

// size returns how many bytes of the page the block takes.
func (b block) size() int { return len(b.html()) }

// names numbers texts in the order of their first use.
type names struct {
	list []string
	at   map[string]int
}

func (n *names) of(s string) int {
	if i, ok := n.at[s]; ok {
		return i
	}
	if n.at == nil {
		n.at = map[string]int{}
	}
	n.at[s] = len(n.list)
	n.list = append(n.list, s)
	return len(n.list) - 1
}

// all returns the list, never nil, because nil would be encoded as null.
func (n *names) all() []string {
	if n.list == nil {
		return []string{}
	}
	return n.list
}
