package census

import _ "embed"

// Page is README.md, the page about what is counted and how, in Markdown.
//
//go:embed README.md
var Page string
