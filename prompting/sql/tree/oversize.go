package tree

import (
	"fmt"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
)

// The limits on the text of one statement. They are far above what queries need, and low enough that a parser, and a
// comparison that looks at pairs of tokens, ends in a moment. Among 44,000 queries and predictions of Spider, Spider-DK,
// -Syn and -Realistic and BIRD the longest has 30,688 bytes and 3,630 tokens (a completion that never stopped, of several
// statements) and the deepest 7 open parentheses. SQLite 3.40.1, which the reference verdicts were made with, accepts
// 1,000,000 bytes, and has a parser's stack of 100 entries, of which a parenthesis takes at least one.
const (
	MaxBytes  = 1 << 18
	MaxTokens = 20_000
	MaxDepth  = 200 // open parentheses
)

// Oversize returns an error that names the limit if a text is too long, has too many tokens or too many open
// parentheses to be parsed as a statement, and nil otherwise. It is to be asked before any parser sees a text that
// someone else wrote; [Parse], [Refusal] and [Tokens] ask it themselves.
func Oversize(sql string) *Error {
	if len(sql) > MaxBytes {
		return &Error{Offset: MaxBytes, Message: fmt.Sprintf("statement too long: more than %d bytes", MaxBytes)}
	}
	if len(sql) <= MaxDepth { // no token or parenthesis takes less than one byte
		return nil
	}
	return oversized(lexer.Lex(sql))
}

// oversized is Oversize of a text's tokens.
func oversized(list []token.Token) *Error {
	if len(list) > MaxTokens {
		return &Error{Offset: list[MaxTokens].Pos, Message: fmt.Sprintf("statement too long: more than %d tokens", MaxTokens)}
	}
	depth := 0
	for _, t := range list {
		switch t.Kind {
		case token.LP:
			depth++
		case token.RP:
			depth--
		}
		if depth > MaxDepth {
			return &Error{Offset: t.Pos, Message: fmt.Sprintf("nested too deeply: more than %d open parentheses", MaxDepth)}
		}
	}
	return nil
}
