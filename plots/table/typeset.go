package table

import (
	"strings"
	"unicode"

	"assay/plots/terminal"

	"golang.org/x/text/unicode/norm"
)

// What LaTeX is handed: texts in the letters that its T1 fonts have, escaped, and how wide they come out.

// letters are the letters and marks beyond ASCII that pdfLaTeX sets in T1 without a further package.
const letters = "¡£§«»¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ" +
	"ĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžȘșȚț" +
	"–—‘’‚“”„‹›©®°µ¶†‡•…€™½¼¾"

// symbols are characters that LaTeX sets in mathematics.
var symbols = map[rune]string{
	'±': `\pm`, '≤': `\le`, '≥': `\ge`, '×': `\times`, '÷': `\div`, '−': `-`, '≠': `\ne`, '≈': `\approx`, '∞': `\infty`, '·': `\cdot`,
	'→': `\to`, '←': `\gets`, '↔': `\leftrightarrow`, '∈': `\in`, '∪': `\cup`, '∩': `\cap`, '√': `\surd`, '¬': `\neg`,
	'α': `\alpha`, 'β': `\beta`, 'γ': `\gamma`, 'δ': `\delta`, 'ε': `\varepsilon`, 'κ': `\kappa`, 'λ': `\lambda`, 'μ': `\mu`,
	'π': `\pi`, 'ρ': `\rho`, 'σ': `\sigma`, 'τ': `\tau`, 'φ': `\varphi`, 'χ': `\chi`, 'ω': `\omega`, 'Δ': `\Delta`, 'Σ': `\Sigma`, 'Ω': `\Omega`,
}

// escapes are the ASCII characters that mean something to LaTeX, and those that it joins with their neighbours.
var escapes = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'^': `\textasciicircum{}`, '~': `$\sim$`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'"': `\textquotedbl{}`, '`': `\textasciigrave{}`,
}

// typeset returns a text as one line of characters that the fonts have: an accent is part of its letter, a variant is its
// plain form, and what has no form at all, such as a Chinese letter, is a question mark. A text beyond the limit is cut.
func typeset(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range norm.NFC.String(terminal.Line(s)) {
		if n++; n > limit {
			return b.String() + "…"
		}
		b.WriteString(printable(r))
	}
	return b.String()
}

// printable returns the character in what the fonts have.
func printable(r rune) string {
	if known(r) {
		return string(r)
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(string(r)))
	for _, p := range plain {
		if !known(p) {
			return "?"
		}
	}
	return plain // nothing, of an accent without a letter
}

func known(r rune) bool {
	return r >= ' ' && r <= '~' || symbols[r] != "" || strings.ContainsRune(letters, r)
}

// LaTeX returns a text as LaTeX that prints it and does nothing else, on one line, for what stands beside a table: a figure's
// caption.
func LaTeX(s string) string { return escaped(typeset(s, longestText), 0) }

// How many characters are printed of a note, a heading and a cell or LaTeX caption; CSV and Markdown have them all.
const longestText, longestHeading, longestCell = 800, 120, 300

// breakable returns a text as LaTeX that prints it and does nothing else. A word that is longer than the width may be broken
// anywhere.
func breakable(s string, kind size, width float64) string {
	words := strings.Split(typeset(s, longestText), " ")
	for i, w := range words {
		every := 0
		if kind.width(w) > width {
			every = 1
		}
		words[i] = escaped(w, every)
	}
	return strings.Join(words, " ")
}

// escaped escapes a typeset text, and allows a line to break after so many characters, if any.
func escaped(s string, every int) string {
	var b strings.Builder
	last := rune(0)
	for i, r := range []rune(s) {
		if every > 0 && i > 0 && i%every == 0 {
			b.WriteString(`\allowbreak{}`)
		}
		// "--", "''" and ",," would become one character.
		if r == last && strings.ContainsRune("-',", r) {
			b.WriteString("{}")
		}
		switch {
		case symbols[r] != "":
			b.WriteString("$" + symbols[r] + "$")
		case escapes[r] != "":
			b.WriteString(escapes[r])
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// size is a size of type in a document of 10 pt.
type size struct {
	name string
	em   float64 // in pt: letters of 9 pt are of this size when they are as wide
	line float64 // from one line to the next, in pt
}

// The sizes. Small type is wider than its size says, so em is a little more than it.
var (
	smallType    = size{`\small`, 9, 11}
	footnoteType = size{`\footnotesize`, 8.3, 9.5}
	scriptType   = size{`\scriptsize`, 7.8, 8}
	captionType  = size{`\normalsize`, 9.8, 12}
)

// widths are those of the printed ASCII characters, from the blank on, in thousandths of an em: of Computer Modern at 9 pt,
// which is wider than Times.
var widths = [...]uint16{
	343, 286, 514, 857, 514, 857, 800, 286, 400, 400, 514, 800, 286, 343, 286, 514, 514, 514, 514, 514, 514, 514, 514,
	514, 514, 514, 286, 286, 800, 800, 800, 486, 800, 771, 728, 743, 785, 700, 671, 807, 771, 371, 528, 800, 643, 942,
	771, 800, 700, 800, 757, 571, 743, 771, 771, 1056, 771, 771, 628, 286, 514, 286, 700, 800, 600, 514, 571, 457, 571,
	458, 314, 514, 571, 286, 314, 543, 286, 857, 571, 514, 571, 543, 402, 406, 400, 571, 543, 743, 543, 543, 457, 514,
	400, 514, 800,
}

// boldly is how much wider bold type is.
const boldly = 1.18

// width returns how many pt a typeset text takes, rather too many than too few.
func (z size) width(s string) float64 {
	total := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			total += int(widths[r-' '])
		case r == '±' || r == '−':
			total += 880
		default:
			total += 1200
		}
	}
	return z.em * float64(total) / 1000
}

// longestWord returns the width of the longest word of the texts.
func (z size) longestWord(texts []string) (most float64) {
	for _, s := range texts {
		most = max(most, z.widestOf(strings.Fields(s)))
	}
	return most
}

// lines returns how many lines of the given width a text takes.
func (z size) lines(s string, width float64) float64 {
	return float64(int(z.width(typeset(s, longestText))*1.1/width) + 1)
}

// stack breaks a typeset text into lines of about the given width: between words, and a word of more than 24 letters
// inside. No text has more than four lines.
func (z size) stack(s string, width float64) (lines []string) {
	for _, word := range strings.Fields(s) {
		for letters := []rune(word); len(letters) > 0; {
			n := min(len(letters), 24)
			piece := string(letters[:n])
			letters = letters[n:]
			if k := len(lines); k > 0 && z.width(lines[k-1]+" "+piece) <= width {
				lines[k-1] += " " + piece
				continue
			}
			lines = append(lines, piece)
		}
	}
	if len(lines) > 4 {
		lines = append(lines[:3:3], lines[3]+"…")
	}
	return lines
}

// widestOf returns the width of the widest line.
func (z size) widestOf(lines []string) (most float64) {
	for _, l := range lines {
		most = max(most, z.width(l))
	}
	return most
}

// stacked returns lines as LaTeX, one upon the other where there are several.
func stacked(lines []string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = protected(escaped(l, 0))
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return `\makecell[b]{` + strings.Join(out, `\\`) + `}`
}

// protected keeps a leading bracket or star from what stands before it, which would take it as its argument.
func protected(s string) string {
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "*") {
		return "{}" + s
	}
	return s
}
