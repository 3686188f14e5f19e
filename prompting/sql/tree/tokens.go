package tree

import (
	"strings"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
)

// TokenKind is the class of a token.
type TokenKind int

// The classes of tokens.
const (
	Word        TokenKind = iota // a name or keyword without quotes
	QuotedName                   // "x", `x`, [x]; SQLite treats "x" as a string where no column has that name
	TextToken                    // 'x'
	Number                       // 1, 1.5, 0xff
	BlobToken                    // x'00'
	Parameter                    // ?, ?1, :x, @x, $x
	Symbol                       // operators and punctuation
	IllegalText                  // text with which no token can begin
)

// Token is one token of a text.
type Token struct {
	Span
	Kind    TokenKind
	Text    string
	Keyword string // in capitals, for a Word that is a keyword in its position; empty for every other token
	Name    bool   // SQLite's grammar accepts it as a name: names, texts, and most keywords
}

// Tokens splits a text into SQLite's tokens, without blanks and comments. It never fails: text that is no token becomes
// IllegalText, and so does, as one token, a whole text that is [Oversize]. A NUL byte ends the text, as in SQLite.
func Tokens(sql string) []Token {
	whole := []Token{{Span: Span{0, len(sql)}, Kind: IllegalText, Text: sql}}
	if len(sql) > MaxBytes {
		return whole
	}
	list := lexer.Lex(sql)
	if oversized(list) != nil {
		return whole
	}
	out := make([]Token, 0, len(list))
	for _, t := range list {
		if t.Kind == token.EOF || t.Pos >= t.End {
			continue
		}
		text := t.Text(sql)
		one := Token{Span: Span{t.Pos, t.End}, Kind: tokenKind(t.Kind, text), Text: text, Name: token.IsName(t.Kind)}
		if one.Kind == Word && t.Kind != token.ID {
			one.Keyword = strings.ToUpper(text)
		}
		out = append(out, one)
	}
	return out
}

func tokenKind(k token.Kind, text string) TokenKind {
	switch k {
	case token.STRING, token.ID:
		switch text[0] {
		case '\'':
			return TextToken
		case '"', '`', '[':
			return QuotedName
		}
		return Word
	case token.INTEGER, token.FLOAT, token.QNUMBER:
		return Number
	case token.BLOB:
		return BlobToken
	case token.VARIABLE:
		return Parameter
	case token.ILLEGAL:
		return IllegalText
	}
	if k >= token.LP && k <= token.PTR {
		return Symbol
	}
	return Word
}
