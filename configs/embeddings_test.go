package configs

import (
	"strings"
	"testing"
)

const overTheSample = "name = \"x\"\nshows = \"y\"\n[dataset]\nkind = \"sample\"\n[model]\nprovider = \"baseline\"\n"

// TestEmbeddings: what an arm compares texts by.
func TestEmbeddings(t *testing.T) {
	arms := "[[arm]]\nname = \"a\"\nmethod = \"standard\"\n[[arm]]\nname = \"b\"\nmethod = \"standard\"\n"
	check := func(what, text string, want ...Embeddings) {
		t.Helper()
		e := must(t, text)
		for i, c := range e.Cells() {
			if c.Arm.Embeddings != want[i] {
				t.Errorf("%s: %+v, want %+v", what, c.Arm.Embeddings, want[i])
			}
		}
		reread(t, e)
	}
	small := Embeddings{Provider: "openai", Name: "small"}
	check("not stated", overTheSample+arms, Embeddings{}, Embeddings{})
	top := overTheSample + "[embeddings]\nprovider = \"openai\"\nname = \"small\"\n"
	check("at the top", top+arms, small, small)
	off := small
	off.Provider = Offline
	check("switched off in an arm", top+arms+"embeddings.provider = \"offline\"\n", small, off)
	named, large := small, small
	named.As, large.Name = "weights", "large"
	check("a name belongs to its model", top+"as = \"weights\"\n"+arms+"embeddings.name = \"large\"\n", named, large)
	sized := small
	sized.Dimensions = 256
	check("swept", top+arms+"[sweep]\n\"embeddings.dimensions\" = [0, 256]\n", small, small, sized, sized)
	if e := must(t, overTheSample+arms); e.Arms[0].Embeddings.On() || (Embeddings{Provider: Offline}).On() || !small.On() {
		t.Error("what is on")
	}
	text, err := must(t, overTheSample+arms).TOML()
	if err != nil || strings.Contains(string(text), "embeddings") {
		t.Errorf("an experiment without [embeddings] stores it: %v", err)
	}
	if got := sized.Measure(); got != "cosine of the vectors of openai/small in 256 dimensions" {
		t.Error(got)
	}
}

func TestEmbeddingsAreChecked(t *testing.T) {
	check := func(table, want string) {
		t.Helper()
		_, err := Parse("x.toml", []byte(overTheSample+"[embeddings]\n"+table+"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"), known)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", table, err, want)
		}
	}
	check(`name = "small"`, "embeddings.provider is missing: one of offline, ")
	check("dimensions = 8", "embeddings.provider is missing")
	check(`provider = "openai"`, "embeddings.name is missing")
	check(`provider = "baseline"`+"\nname = \"x\"", `embeddings.provider "baseline" is unknown`)
	check(`provider = "openai"`+"\nname = \"x\"\ndimensions = -1", "too small")
	check(`provider = "openai"`+"\nname = \"x\"\nbase_url = \"http://u:p@h\"", "user")
	check(`provider = "openai"`+"\nname = \"x\"\nkey = \"k\"", "embeddings.key")
	check(`provider = "openai"`+"\nname = \"x\"\ntemperature = 1", "embeddings.temperature")
}
