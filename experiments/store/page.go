package store

import _ "embed"

// Page is README.md, the page about a store's folders: what each file is, what may be deleted, how to cite a run; in Markdown.
//
//go:embed README.md
var Page string
