// Package exact judges SQL by its clauses: Spider's exact set match and hardness.
//
// Both read a query with a grammar of their own (spiderparse.go), smaller than SQLite's, over the words of an English
// tokenizer (tokens.go). Its refusals decide scores, so they are kept as they are.
package exact
