package metrics

import _ "embed"

// Page is README.md, the page about every metric and its reference, in Markdown.
//
//go:embed README.md
var Page string

// Numbers is NUMBERS.md, the page about what a number in a table means, in Markdown.
//
//go:embed NUMBERS.md
var Numbers string
