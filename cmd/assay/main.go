// Command assay runs prompting experiments for text-to-SQL, offline where possible, and reports and compares them.
//
// There is one file per verb. A verb parses its flags, loads an experiment (package configs) or a stored run (package
// record), calls the packages that plan, run, score or compare, and prints a table, CSV or JSON. Flags that override an
// experiment become settings of that experiment, so that the run's identity includes them.
//
// Results go to standard output, notes for a person to standard error. A verb must never compute a score or build a
// prompt itself, print an API key, or read the user's data outside the paths that its arguments and the experiment name.
package main

import "os"

// main forgets the shell's name of the working folder: where a symbolic link led there, "../base.sqlite" would be looked for
// beside the link, and not where the system finds it.
func main() {
	os.Unsetenv("PWD")
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
