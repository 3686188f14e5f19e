package main

import (
	"os"

	"assay/experiments/plan"
	"assay/experiments/record"

	"github.com/spf13/cobra"
)

// allowing is the environment variable that allows an experiment's programs where it is "1".
const allowing = "ASSAY_ALLOW_COMMANDS"

// allows registers the flag that allows an experiment's programs.
func (a *app) allows(c *cobra.Command) {
	c.Flags().BoolVar(&a.commands, "allow-commands", false, "start the programs that the experiment names by command (or "+allowing+"=1): read them first")
}

// commandsAllowed reports whether an experiment's programs may be started.
func (a *app) commandsAllowed() bool { return a.commands || os.Getenv(allowing) == "1" }

// noteSources says which sources of the programs differ from those that a stored run has copies of.
func (a *app) noteSources(dir string, p *plan.Plan) error {
	m, _, err := record.ReadManifest(dir)
	if err != nil {
		return err
	}
	for _, now := range p.Manifest.Programs {
		for _, then := range m.Programs {
			if then.Arm == now.Arm {
				a.noteChanged(then, now)
			}
		}
	}
	return nil
}

// noteChanged says how an arm's program differs from what it was.
func (a *app) noteChanged(then, now record.Program) {
	if then.Version != now.Version {
		a.note("arm %q: the program declares the version %q, and declared %q in the stored run", now.Arm, now.Version, then.Version)
	}
	for _, d := range then.Changes(now) {
		a.note("arm %q: since the stored run, %s", now.Arm, d)
	}
	if then.Version != now.Version || len(then.Changes(now)) > 0 {
		a.note("so this is another run, with a folder of its own")
	}
}

// planned is how every verb that may start programs makes its plan.
func (a *app) planned() plan.Options { return plan.Options{AllowCommands: a.commandsAllowed()} }
