package llmtest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/prompting/llm"
)

// The start of the last turn decides what the servers' model answers:
//
//	EMPTY      nothing
//	BLOCK      nothing, because of the content filter
//	SYSTEM     the system message
//	TURNS      the whole conversation, one line per turn
//	RANDOM     a word drawn from the seed and the number of the choice, the same each time
//	LONG n     n bytes of text with quotes, line ends and letters of several bytes
//	CALL f {}  a call of the tool f with these arguments, one per such line, if the tool was offered
//	any other  itself, a tool's result after "result: "
const (
	sayEmpty  = "EMPTY"
	sayBlock  = "BLOCK"
	saySystem = "SYSTEM"
	sayTurns  = "TURNS"
	sayRandom = "RANDOM"
	sayLong   = "LONG "
	sayCall   = "CALL "
)

// reply returns the text of choice number i, and why it ended: stop, length or blocked.
func reply(s *Server, a Asked, i int) (text, finish string) {
	last := ""
	if n := len(a.Turns); n > 0 {
		last = a.Turns[n-1].Text
	}
	text = last
	switch {
	case len(a.Turns) > 0 && a.Turns[len(a.Turns)-1].Role == llm.ToolResult:
		text = "result: " + last
	case len(called(a)) > 0:
		return "", "tools"
	case last == sayEmpty:
		text = ""
	case last == sayBlock:
		return "", "blocked"
	case last == saySystem:
		text = a.System
	case last == sayTurns:
		text = turns(a.Turns)
	case last == sayRandom:
		text = random(s, a, i)
	case strings.HasPrefix(last, sayLong):
		n, _ := strconv.Atoi(strings.TrimPrefix(last, sayLong))
		text = long(n)
	}
	for _, stop := range a.Stop {
		text, _, _ = strings.Cut(text, stop)
	}
	if most := 4 * a.MaxTokens; most > 0 && len(text) > most {
		for !utf8.RuneStart(text[most]) {
			most--
		}
		return text[:most], "length"
	}
	return text, "stop"
}

func turns(ts []llm.Message) string {
	var b strings.Builder
	for _, t := range ts {
		fmt.Fprintf(&b, "%s: %s\n", t.Role, t.Text)
	}
	return b.String()
}

// called returns the calls of the tools that the last turn names and the request offers, without ids.
func called(a Asked) (calls []llm.ToolCall) {
	if len(a.Turns) == 0 {
		return nil
	}
	for line := range strings.Lines(a.Turns[len(a.Turns)-1].Text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), sayCall)
		name, arguments, _ := strings.Cut(rest, " ")
		if ok && slices.ContainsFunc(a.Tools, func(t llm.Tool) bool { return t.Name == name }) {
			calls = append(calls, llm.ToolCall{Name: name, Arguments: arguments})
		}
	}
	return calls
}

// logprob is the log-probability of every token of every answer.
const logprob = -0.5

func random(s *Server, a Asked, i int) string {
	seed := int64(-1)
	if a.Seed != nil && !s.IgnoreSeed {
		seed = *a.Seed
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d", seed, i)
	return fmt.Sprintf("word-%x", h.Sum64())
}

// long returns n bytes of text with quotes, line ends and letters of several bytes, truncated between two letters.
func long(n int) string {
	const unit = "SELECT \"a\" FROM \\ t -- é 漢字\n\t'x';\u2028"
	text := strings.Repeat(unit, n/len(unit)+1)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// tokens counts every four bytes as one token.
func tokens(text string) int { return (len(text) + 3) / 4 }

func promptTokens(a Asked) int {
	n := tokens(a.System)
	for _, t := range a.Turns {
		n += tokens(t.Text)
	}
	return n
}

// Vector embeds a text as the fake servers do: as numbers, three unless another number is given, that distinguish it from
// others.
func Vector(text string, dimensions int) []float32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	out := []float32{float32(len(text)), float32(h.Sum32()%1000) / 1000, 1}
	for len(out) < dimensions {
		out = append(out, 0.5)
	}
	if dimensions > 0 {
		out = out[:dimensions]
	}
	return out
}
