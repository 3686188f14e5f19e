package paper

import _ "embed"

// Page is README.md, the page about reports, in Markdown.
//
//go:embed README.md
var Page string
