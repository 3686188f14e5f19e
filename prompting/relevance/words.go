package relevance

import (
	"slices"
	"strings"
	"unicode"

	"assay/prompting/vectors"

	"github.com/kljensen/snowball/english"
)

// longestWord is the most bytes of a word that count; longer ones are no words of a language.
const longestWord = 40

// word is a word as it is written, folded, and its stem.
type word struct{ text, stem string }

// wordsOf returns the words of a name or a text in their order: folded, run-together names taken apart ("StuID" reads as
// "stu id"), stop words left out.
func wordsOf(text string) (out []word) {
	for _, w := range strings.FieldsFunc(vectors.Fold(Spelt(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if len(w) <= longestWord && !stop[w] {
			out = append(out, word{w, stem(w)})
		}
	}
	return out
}

// Spelt takes the words of run-together names apart: "StuID" also reads as "Stu ID".
func Spelt(text string) string {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(last) || unicode.IsDigit(r) && unicode.IsLetter(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// stem returns the stem of a folded word by the English Snowball algorithm (Porter2); of "ids" it is "id".
func stem(w string) string {
	if w == "ids" {
		return "id"
	}
	return english.Stem(w, true)
}

// stop has the words that say nothing of a column: articles, prepositions, forms of to be and of asking.
var stop = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`a an the of in on at by for to from with and or not no as is are was were be been being am do does did
done has have had having this that these those it its their them they there here he she his her you your me my i we our us
please show list give find return tell what which whose whom all any some each every other than then also only if so such
can could would should will may into per about column columns field`) {
		out[w] = true
	}
	return out
}()

// abbreviates reports whether a word is a short form of a longer one: it begins with the same letter, is no longer than two
// thirds of it, and is its beginning ("prof"), or its letters occur in the long one in this order, its last letter or a
// consonant at each ("dept", "qty", "num").
func abbreviates(short, long string) bool {
	if len(short) < 2 || len(short)*3 > len(long)*2 || short[0] != long[0] {
		return false
	}
	if strings.HasPrefix(long, short) {
		return len(short) >= 3
	}
	if len(short) < 3 {
		return false
	}
	at := 1
	for i := 1; i < len(short); i++ {
		j := strings.IndexByte(long[at:], short[i])
		if j < 0 {
			return false
		}
		if j > 0 && strings.IndexByte("aeiou", short[i]) >= 0 { // vowels are what short forms leave out
			return false
		}
		at += j + 1
	}
	return true
}

// punctuation has the marks that stand around words.
const punctuation = "'\"`.,;:?!()=<>"

// mostPhrases is how many phrases of a text are listed.
const mostPhrases = 64

// Phrases lists the stretches of a text between stop words and punctuation, each once, up to 64: what a person would call its
// subjects.
func Phrases(text string) (out []string) {
	var phrase []string
	end := func() {
		if p := strings.Join(phrase, " "); p != "" && len(out) < mostPhrases && !slices.Contains(out, p) {
			out = append(out, p)
		}
		phrase = nil
	}
	for _, w := range strings.Fields(clip(text)) {
		bare := strings.Trim(w, punctuation)
		if bare == "" || !strings.HasPrefix(w, bare) { // it begins behind a mark
			end()
		}
		if bare == "" || stop[vectors.Fold(bare)] {
			end()
			continue
		}
		if phrase = append(phrase, bare); !strings.HasSuffix(w, bare) {
			end()
		}
	}
	end()
	return out
}
