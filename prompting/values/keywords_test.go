package values

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestKeywords(t *testing.T) {
	has := func(question, evidence string, want ...string) {
		t.Helper()
		got := Keywords(question, evidence)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%q | %q gives %q, without %q", question, evidence, got, w)
			}
		}
	}
	lacks := func(question string, unwanted ...string) {
		t.Helper()
		got := Keywords(question, "")
		for _, w := range unwanted {
			if slices.Contains(got, w) {
				t.Errorf("%q gives %q, with %q", question, got, w)
			}
		}
	}
	has(`Who wrote "the old sea" and 'A new sky'?`, "", "the old sea", "A new sky")
	has("Who lives in 'the lion's den' today?", "", "the lion's den")
	has("Ships of ‘Alesund’ or “Bergen harbour”", "", "Alesund", "Bergen harbour")
	has("Is it the King's or the Queen's?", "", "King", "Queen")
	has("How many pupils does Bay of Pigs High School have?", "", "Bay of Pigs High School", "Bay", "pupils")
	has("Flights of Smith and Jones to Rome", "", "Smith and Jones", "Smith", "Jones", "Rome")
	has("Which model is the XC90 or a 747-400?", "", "XC90", "747-400")
	has("red container ships that sail", "", "red container ships", "container ships", "red container", "ships", "red")
	has("which are heavy?", "heavy refers to class = 'Bulk Carrier'; small means tonnage < 5", "Bulk Carrier")
	has("which?", "type = Ferry and flag = NO", "Ferry", "NO")
	has("which?", "type = Ferry, Car", "Ferry, Car", "Ferry")
	has("languages C++ or C#", "", "C++", "C#")
	lacks("What is the name of the ships?", "What", "What is the name", "name", "is", "the")
	if diff := cmp.Diff([]string{"Ferry", "ferry boats", "boats"}, Keywords("Ferry or ferry boats", "")); diff != "" {
		t.Errorf("each once when folded:\n%s", diff)
	}
	if got := Keywords("", ""); len(got) != 0 {
		t.Errorf("nothing asked: %q", got)
	}
}

func TestParseKeywords(t *testing.T) {
	check := func(completion string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, ParseKeywords(completion)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", completion, diff)
		}
	}
	check(`["a", "b c"]`, "a", "b c")
	check(`['a', "b's", 'it\'s', 'O'Brien', ]`, "a", "b's", "it's", "O'Brien")
	check("Sure!\n```python\n['Alameda County', 'K-12']\n```\nHope it helps.", "Alameda County", "K-12")
	check(`{"keywords": ["x", "y", "x"]}`, "x", "y")
	check(`[{"keyword": "x", "kind": "name"}]`, "x", "name")
	check("First ['draft'].\nFinal: ['good', 'better']", "good", "better")
	check(`[["a"], ("b", 'c')]`, "a", "b", "c")
	check(`[Alameda County, free rate]`, "Alameda County", "free rate")
	check("['a', 'b", "a", "b")
	check("['a\n'b']", "a", "b")
	check("- Alameda\n* \"K-12\"\n3. free rate,\n", "Alameda", "K-12", "free rate")
	check("Here are the keywords:\n1) one\n2) two", "one", "two")
	check("Keywords: one, \"two, three\"; four", "one", "two, three", "four")
	check("one\ntwo words\n", "one", "two words")
	check("")
	check("[]")
	check("[[[[", []string(nil)...)
	check("['tab\\there']", "tab here")
	check("__import__('os').system('x') ['a']", "a")
	if got := ParseKeywords("['" + strings.Repeat("x", 400) + "', 'y']"); !slices.Equal(got, []string{"y"}) {
		t.Errorf("too long: %q", got)
	}
}

func FuzzParseKeywords(f *testing.F) {
	for _, s := range []string{`["a"]`, "['a', 'b", "- x\n- y", "Keywords: a, b", "[[", `{"a": ["b"]}`, "[\\", "['\xff']", "\"", "[,:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ParseKeywords(s)
		if len(got) > mostParsed {
			t.Errorf("%d keywords", len(got))
		}
		for i, k := range got {
			if k == "" || len(k) > longestParsed || !utf8.ValidString(k) || slices.Contains(got[:i], k) {
				t.Errorf("%q gives %q", s, k)
			}
		}
	})
}

func FuzzKeywords(f *testing.F) {
	f.Add("Who wrote 'x' and \"y\" in 1999?", "a = 'b'; c refers to d = 5")
	f.Add("\xff’s of the", "= = =")
	f.Fuzz(func(t *testing.T, question, evidence string) {
		for _, k := range Keywords(question, evidence) {
			if strings.TrimSpace(k) == "" {
				t.Errorf("%q | %q gives a blank", question, evidence)
			}
			parts(k)
			normal(k)
		}
	})
}
