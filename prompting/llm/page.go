package llm

import _ "embed"

// Page is README.md, the page about models and providers, in Markdown.
//
//go:embed README.md
var Page string
