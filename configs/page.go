package configs

import "embed"

// Pages are the documents about experiments and methods, in Markdown, by their paths below configs.
//
//go:embed EXPERIMENTS.md METHODS.md REFERENCE.md tutorials/*.md
var Pages embed.FS
