// Package english turns the names of a database into words: an identifier into its words, a noun into its plural.
//
// It knows a few rules and exceptions of English and no dictionary. The package must never fail: a name that no rule fits is
// given back as it is.
package english

import (
	"strings"
	"unicode"
)

// Words splits an identifier into words in lower case: "StuID", "stu_id" and "stu id" are "stu id".
func Words(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
			continue
		case i > 0 && unicode.IsUpper(r) && begins(runes, i):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		if w == "name" && i > 0 && initials[words[i-1]] != "" { // LName, as lname
			words[i-1] = initials[words[i-1]]
		}
		if w == "no" && i+1 < len(words) && words[i+1] == "of" {
			words[i] = "number"
		}
		if full := short[w]; full != "" {
			words[i] = full
		}
	}
	return strings.Join(words, " ")
}

// short has the abbreviations that names of tables and columns are full of, where they mean one thing only.
var short = map[string]string{"num": "number", "nbr": "number", "dept": "department", "qty": "quantity", "amt": "amount",
	"addr": "address", "fname": "first name", "lname": "last name", "firstname": "first name", "lastname": "last name",
	"dob": "date of birth", "emp": "employee", "stu": "student", "cust": "customer", "pct": "percent", "prof": "professor",
	"attr": "attribute", "acct": "account", "mgr": "manager", "hrs": "hours", "avg": "average", "stuid": "student id",
	"src": "source", "dst": "destination", "dest": "destination",
	"desc": "description", "tel": "telephone", "yr": "year"}

// initials has the kinds of names that one letter stands for.
var initials = map[string]string{"l": "last", "f": "first"}

// begins reports whether the capital at i begins a word: after a small letter, or before one after capitals.
func begins(runes []rune, i int) bool {
	before := runes[i-1]
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	// A final "s" is the plural of an abbreviation, as in IDs.
	return unicode.IsUpper(before) && i+2 < len(runes) && unicode.IsLower(runes[i+1])
}

// head cuts a noun phrase before and after the word that its plural changes: "singer" of "singer in concert".
func head(phrase string) (before, noun, after string) {
	words := strings.Fields(phrase)
	at := len(words) - 1
	if at > 0 && strings.TrimSuffix(words[at], "s") == "record" { // of what has no noun: "enrolled in record"
		return strings.Join(words[:at], " "), words[at], ""
	}
	for i, w := range words {
		if i > 0 && prepositions[w] && !strings.HasSuffix(words[i-1], "ed") {
			at = i - 1
			break
		}
	}
	if at < 0 {
		return "", "", ""
	}
	join := func(list []string) string { return strings.Join(list, " ") }
	return join(words[:at]), words[at], join(words[at+1:])
}

// Head returns the word of a noun phrase that its plural changes: "singer" of "singer in concert".
func Head(phrase string) string {
	_, noun, _ := head(phrase)
	return noun
}

// Personal reports whether a noun phrase is by its ending one of a person: "gymnast", "body builder".
func Personal(phrase string) bool {
	noun := Head(phrase)
	return ends(noun, "er", "or", "ist", "eur", "nast", "employee", "candidate", "student", "president", "man", "woman") && !things[noun]
}

// things has the nouns that end as those of persons do.
var things = map[string]bool{"order": true, "number": true, "letter": true, "offer": true, "transfer": true, "paper": true,
	"center": true, "chapter": true, "list": true, "register": true, "career": true, "tender": true, "border": true, "door": true,
	"floor": true, "error": true, "color": true, "motor": true, "theater": true, "water": true, "power": true, "river": true,
	"newspaper": true, "computer": true, "server": true, "sensor": true, "elevator": true, "semester": true, "trimester": true}

// Preposition reports whether a word is a preposition, or "and".
func Preposition(w string) bool { return prepositions[w] || w == "and" }

var prepositions = map[string]bool{"in": true, "of": true, "for": true, "on": true, "by": true, "per": true, "at": true,
	"from": true, "to": true, "with": true, "between": true}

// inflect replaces the head of a noun phrase by another form of it.
func inflect(phrase string, form func(string) string) string {
	before, noun, after := head(phrase)
	return strings.TrimSpace(strings.TrimSpace(before+" "+form(noun)) + " " + after)
}

// Plural returns the plural of a noun phrase; of one that is a plural, itself.
func Plural(phrase string) string { return inflect(phrase, plural) }

// Singular returns the singular of a noun phrase; of one that is a singular, itself.
func Singular(phrase string) string { return inflect(phrase, singular) }

// irregular has the plurals that no rule gives, by their singulars.
var irregular = map[string]string{"person": "people", "man": "men", "woman": "women", "child": "children", "foot": "feet",
	"goods": "goods", "series": "series", "species": "species", "staff": "staff", "aircraft": "aircraft", "data": "data",
	"information": "information", "info": "info", "news": "news", "sheep": "sheep", "fish": "fish", "equipment": "equipment",
	"furniture": "furniture", "lens": "lenses", "hero": "heroes",
	"superhero": "superheroes", "bus": "buses", "gas": "gases", "status": "statuses", "campus": "campuses", "bonus": "bonuses",
	"virus": "viruses", "analysis": "analyses", "address": "addresses", "shelf": "shelves", "wife": "wives", "life": "lives",
	"half": "halves", "index": "indexes", "medium": "media", "movie": "movies", "cookie": "cookies", "genre": "genres",
	"homework": "homework", "money": "money", "music": "music", "research": "research", "sales": "sales",
	"details": "details", "hours": "hours", "minutes": "minutes", "seconds": "seconds", "points": "points", "wins": "wins",
	"losses": "losses", "metres": "metres", "miles": "miles", "kids": "kids", "cast": "casts", "contents": "contents"}

var regular = func() map[string]string {
	out := map[string]string{}
	for one, many := range irregular {
		out[many] = one
	}
	return out
}()

func plural(w string) string {
	switch {
	case w == "":
		return ""
	case irregular[w] != "":
		return irregular[w]
	case regular[w] != "", Many(w):
		return w
	case strings.HasSuffix(w, "y") && len(w) > 1 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	case ends(w, "s", "x", "z", "ch", "sh"):
		return w + "es"
	}
	return w + "s"
}

func singular(w string) string {
	switch {
	case irregular[w] != "":
		return w
	case regular[w] != "":
		return regular[w]
	case !Many(w):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case ends(w, "sses", "xes", "ches", "shes", "zzes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

// Many reports whether the head of a noun phrase is a plural.
func Many(phrase string) bool {
	_, w, _ := head(phrase)
	if regular[w] != "" {
		return true
	}
	return len(w) > 3 && irregular[w] == "" && strings.HasSuffix(w, "s") && !ends(w, "ss", "us", "is")
}

func ends(w string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(w, s) {
			return true
		}
	}
	return false
}

// A returns a noun phrase with its indefinite article, and without one if it is a plural.
func A(phrase string) string {
	switch {
	case phrase == "", Many(phrase):
		return phrase
	case ends(phrase[:min(3, len(phrase))], "uni", "use", "eur", "one"):
		return "a " + phrase
	case strings.ContainsRune("aeiou", rune(phrase[0])), strings.HasPrefix(phrase, "hour"), strings.HasPrefix(phrase, "honor"):
		return "an " + phrase
	}
	return "a " + phrase
}

// List joins words as English does: "a, b and c", with the given word before the last.
func List(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}
