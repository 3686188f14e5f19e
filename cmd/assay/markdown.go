package main

import (
	"cmp"
	"strconv"
	"strings"

	"assay/plots/terminal"

	"github.com/russross/blackfriday/v2"
)

// markdownText prints a page of Markdown for a terminal of width columns (0: 80): paragraphs are broken anew, a table becomes a
// list of its rows, code stays as it is, and of a link its text stays, followed by its address where that is none of this page.
func markdownText(page string, width int) string {
	w := markdownWriter{width: cmp.Or(width, helpWidth)}
	tree := blackfriday.New(blackfriday.WithExtensions(blackfriday.CommonExtensions)).Parse([]byte(page))
	for n := tree.FirstChild; n != nil; n = n.Next {
		w.block(n, "")
	}
	return strings.Trim(w.out.String(), "\n") + "\n"
}

type markdownWriter struct {
	out   strings.Builder
	width int
}

// block writes a block of a page below the given indentation, and an empty line.
func (w *markdownWriter) block(n *blackfriday.Node, indent string) {
	switch n.Type {
	case blackfriday.Heading:
		title := inline(n)
		if n.Level < 3 {
			title = strings.ToUpper(title)
		}
		w.text(indent, title)
	case blackfriday.CodeBlock:
		for _, line := range strings.Split(strings.TrimRight(string(n.Literal), "\n"), "\n") {
			w.out.WriteString(strings.TrimRight(indent+"    "+terminal.Line(line), " ") + "\n")
		}
	case blackfriday.List:
		w.list(n, indent)
	case blackfriday.Table:
		w.table(n, indent)
	case blackfriday.HorizontalRule, blackfriday.HTMLBlock:
		return
	case blackfriday.BlockQuote:
		for c := n.FirstChild; c != nil; c = c.Next {
			w.block(c, indent+"  ")
		}
		return
	default:
		w.text(indent, inline(n))
	}
	w.out.WriteString("\n")
}

// text writes words in lines that begin with the indentation.
func (w *markdownWriter) text(indent, words string) {
	w.out.WriteString(strings.Join(terminal.Hang(indent, indent, words, w.width), "\n") + "\n")
}

// list writes each item behind its bullet or number, with further lines below its text.
func (w *markdownWriter) list(n *blackfriday.Node, indent string) {
	k := 1
	for item := n.FirstChild; item != nil; item = item.Next {
		bullet := "- "
		if n.ListFlags&blackfriday.ListTypeOrdered != 0 {
			bullet = strconv.Itoa(k) + ". "
		}
		k++
		below := indent + strings.Repeat(" ", len(bullet))
		inner := markdownWriter{width: w.width}
		for c := item.FirstChild; c != nil; c = c.Next {
			inner.block(c, below)
		}
		s := strings.Trim(strings.ReplaceAll(inner.out.String(), "\n\n"+below+"- ", "\n"+below+"- "), "\n")
		w.out.WriteString(indent + bullet + strings.TrimPrefix(s, below) + "\n")
	}
}

// table writes a row as its first cell, with the others below it: each behind its heading, but where there are two columns.
func (w *markdownWriter) table(n *blackfriday.Node, indent string) {
	var head []string
	for part := n.FirstChild; part != nil; part = part.Next {
		for row := part.FirstChild; row != nil; row = row.Next {
			var cells []string
			for c := row.FirstChild; c != nil; c = c.Next {
				cells = append(cells, inline(c))
			}
			if part.Type == blackfriday.TableHead {
				head = cells
				continue
			}
			w.text(indent+"  ", cells[0])
			for i, c := range cells[1:] {
				if c == "" {
					continue
				}
				if len(cells) > 2 {
					c = head[i+1] + ": " + c
				}
				w.text(indent+"      ", c)
			}
		}
	}
}

// inline returns the text of a node without its marks.
func inline(n *blackfriday.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.Next {
		switch c.Type {
		case blackfriday.Text, blackfriday.Code:
			b.Write(c.Literal)
		case blackfriday.Link:
			text, to := inline(c), string(c.Destination)
			b.WriteString(text)
			if !strings.HasPrefix(to, "#") && to != text {
				b.WriteString(" (" + to + ")")
			}
		case blackfriday.Softbreak, blackfriday.Hardbreak:
			b.WriteString(" ")
		case blackfriday.Image, blackfriday.HTMLSpan:
		default:
			b.WriteString(inline(c))
		}
	}
	return strings.TrimSpace(terminal.Line(b.String()))
}
