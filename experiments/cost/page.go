package cost

import _ "embed"

// Page is README.md, the page about prices: where they stand, and how to add one; in Markdown.
//
//go:embed README.md
var Page string
