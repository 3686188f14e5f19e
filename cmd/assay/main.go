// Command assay runs prompting experiments for text-to-SQL, offline where it can, and reports and compares them.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
