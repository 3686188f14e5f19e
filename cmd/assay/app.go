package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/cache"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/plots/paper"
	"assay/plots/terminal"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

// The exit codes. Scripts rely on them: do not renumber.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitRegression = 3 // a diff found a significant regression under --fail-on-regression
)

// usageError marks an error as a wrong use of the command line: it exits with 2 and points to --help.
type usageError struct{ error }

// errRegression is the error of a diff that found a significant regression; it exits with 3.
var errRegression = errors.New("a significant regression")

// app is one invocation: its output streams and the flags that every verb has.
type app struct {
	out, err *terminal.Writer
	storeDir string
	args     []string // the command line without the program's name
	verb     string   // the command path as typed, named in the hint to --help
	quiet    bool
	json     bool
	commands bool // --allow-commands
}

// memory is from where the collector works harder: the aim for a process, of which the most is 512 MB.
const memory = 256 << 20

// run executes one command line and returns its exit code, at the latest [patience] after a signal told it to stop.
func run(args []string, out, errw io.Writer) int {
	debug.SetMemoryLimit(memory)
	ctx, stop, closed := stopping()
	defer stop()
	a := &app{out: terminal.New(piped(out, closed)), err: terminal.New(piped(errw, closed))}
	log.SetOutput(a.err) // of libraries; assay itself logs nothing
	code := within(ctx, patience, func() int { return a.execute(ctx, args) }, func() {
		a.say("assay: stopped before its end; what was written is kept")
	})
	if context.Cause(ctx) == errPipe {
		return exitPipe
	}
	return code
}

// execute runs a command line until it is done or, where ctx ends, has kept what it has.
func (a *app) execute(ctx context.Context, args []string) int {
	defer sqlite.Close()
	defer a.flush()
	a.args = args
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if doubt := cache.Doubt(); doubt != "" {
		a.note("warning: %s", doubt)
	}
	a.verb = cmd.CommandPath()
	if context.Cause(ctx) == errPipe { // whoever reads has seen enough: `| head`
		return exitPipe
	}
	return a.exit(err)
}

// flush writes what the streams still hold. A stream that is closed cannot be told so.
func (a *app) flush() { _ = errors.Join(a.out.Flush(), a.err.Flush()) }

// mostError bounds a printed error in bytes: an error may name all that a file says.
const mostError = 4 << 10

// shorter is an error whose text is cut.
func shorter(err error) string {
	s := err.Error()
	if len(s) <= mostError {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes more)", strings.ToValidUTF8(s[:mostError], ""), len(s)-mostError)
}

// exit prints the error and returns its exit code. Cobra has no type for an unknown command, hence the match on its text.
func (a *app) exit(err error) int {
	var use usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errRegression):
		a.say("assay: %v", err)
		return exitRegression
	case errors.As(err, &use), strings.HasPrefix(err.Error(), "unknown command"):
		a.say("assay: %s%s\nSee %s --help.", shorter(err), meant(err), cmp.Or(a.verb, "assay"))
		return exitUsage
	}
	a.say("assay: %s", shorter(err))
	return exitFailed
}

// meant completes the error about an unknown command that is the name of an experiment.
func meant(err error) string {
	for _, in := range configs.Names() {
		if strings.HasPrefix(err.Error(), fmt.Sprintf("unknown command %q", in.Name)) {
			return fmt.Sprintf(": it is an experiment: assay run %s", in.Name)
		}
	}
	return ""
}

// say prints a line to standard error, without the secrets of addresses that it quotes.
func (a *app) say(format string, args ...any) {
	fmt.Fprintln(a.err, configs.Discreet(fmt.Sprintf(format, args...)))
}

// root builds the command tree with every verb, the shared flags, the help and the completion.
func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:   "assay",
		Short: "An offline workbench for text-to-SQL prompting experiments",
		Long: `assay runs text-to-SQL prompting experiments, keeps every model answer, and turns runs into tables, plots and paired
comparisons. A request that was answered once is never sent again, so that every number can be computed again without
a model, a key or a network.`,
		Example:       "  assay run quickstart\n  assay report quickstart\n  assay diff RUN_A RUN_B",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { // a verb that looks at no context must not begin either
			return context.Cause(cmd.Context())
		},
	}
	c.SetOut(a.out)
	c.SetErr(a.err)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{flagError(c, err)} })
	f := c.PersistentFlags()
	f.StringVar(&a.storeDir, "store", "runs", "folder of the runs and the ledger")
	f.BoolVar(&a.quiet, "quiet", false, "print results and errors only")
	f.BoolVar(&a.json, "json", false, "print results as JSON")
	c.AddCommand(a.runCmd(), a.reportCmd(), a.diffCmd(), a.runsCmd(), a.showCmd(), a.promptCmd(), a.configCmd(), a.versionCmd(),
		a.evalCmd(), a.evalSpiderCmd(), a.evalBirdCmd(), a.importCmd(), a.checkGoldCmd(), a.suiteCmd(), a.planCmd(), a.ledgerCmd(), a.valuesCmd(), a.explainCmd(), a.exportCmd(), a.statsCmd(), a.recallCmd(), a.toolCmd(), a.errorsCmd(), a.openCmd(), a.powerCmd(), a.tokensCmd(), a.methodCmd(), a.batchCmd(), a.proxyCmd(), a.siteCmd(), a.serveCmd(), a.demosCmd(),
		a.initCmd(), a.questionsCmd(), a.rmCmd(), a.manCmd())
	setGroups(c)
	setGroupings(c)
	setHelp(c)
	a.setTopics(c)
	a.setCompletion(c)
	return c
}

func (a *app) store() store.Store { return store.Open(a.storeDir) }

// find returns the folder of a run given by name or path. It notes which run it took where several share the name.
func (a *app) find(nameOrPath string) (string, error) {
	found, err := a.store().Find(nameOrPath)
	if found.Note != "" {
		a.note("%s", found.Note)
	}
	return found.Dir, err
}

// read finds a run by name or path and reads all of it.
func (a *app) read(nameOrPath string) (*record.Run, error) {
	dir, err := a.find(nameOrPath)
	if err != nil {
		return nil, err
	}
	return record.Read(dir, catalog.Known)
}

// note prints a line for a person to standard error, so that standard output holds results alone. --quiet silences it.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.say(format, args...)
	}
}

// args wraps a cobra argument check so that its failure exits with 2, as a wrong use does.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := check(c, given); err != nil {
			return usageError{fmt.Errorf("%s: %s (usage: %s)", c.Name(), arguments(c, given), c.UseLine())}
		}
		return nil
	}
}

// arguments says which argument is missing, or which is one too many and where it may belong.
func arguments(c *cobra.Command, given []string) string {
	names := wantedArguments(c.Use)
	switch {
	case len(given) < len(names):
		return "missing: " + strings.Join(names[len(given):], " and ")
	case c.Flags().Lookup("pred") != nil:
		return fmt.Sprintf("it does not take %q: name the file of predictions with --pred FILE", given[0])
	case len(names) == 0:
		return fmt.Sprintf("it does not take %q", given[len(given)-1])
	}
	return fmt.Sprintf("it takes %s alone, and not %q too", strings.Join(names, " and "), given[len(given)-1])
}

// wantedArguments are the names of the arguments that a line of usage asks for: of "show RUN ITEM" RUN and ITEM, and of
// "run EXPERIMENT | RUN" the one "EXPERIMENT | RUN". Those in brackets may be left out.
func wantedArguments(use string) (out []string) {
	words := strings.Fields(strings.ReplaceAll(use, " | ", "|"))
	for i, w := range words {
		if i > 0 && !strings.ContainsAny(w, "[-") && !strings.HasPrefix(words[i-1], "--") {
			out = append(out, strings.TrimSuffix(strings.ReplaceAll(w, "|", " or "), "..."))
		}
	}
	return out
}

// badValue is what the library says of a flag's value that is none of its type.
var badValue = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: `)

// wanted says what the values of a type of flag look like.
var wanted = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number",
	"duration": "a time such as 30s or 2m", "bool": "true or false",
}

// flagError says what a flag's value should be, in place of what the library could not parse.
func flagError(c *cobra.Command, err error) error {
	m := badValue.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	f := c.Flag(m[2])
	if f == nil || wanted[f.Value.Type()] == "" {
		return err
	}
	return fmt.Errorf("--%s %q: want %s", m[2], m[1], wanted[f.Value.Type()])
}

// overrides holds the flags that change an experiment.
type overrides struct {
	set            []string
	data           string
	limit, workers int
	seed           int64
	cmd            *cobra.Command
}

func (o *overrides) register(c *cobra.Command) {
	o.cmd = c
	f := c.Flags()
	f.StringArrayVar(&o.set, "set", nil, "override a key of the experiment, as `key.path=value` (repeatable)")
	f.StringVar(&o.data, "data", "", "folder of the dataset, in place of dataset.path")
	f.IntVar(&o.limit, "limit", 0, "first N items after the experiment's filter")
	f.IntVar(&o.workers, "workers", 0, "SQL executions at once (0: the number of CPUs); calls in flight are limits.concurrency")
	f.Int64Var(&o.seed, "seed", 0, "one seed, in place of the experiment's")
}

// options returns the overrides as they were given. A flag counts only where it was given: 0 is a valid seed.
func (o *overrides) options() configs.Options {
	opts := configs.Options{Set: o.set, Data: o.data}
	if o.cmd.Flags().Changed("limit") {
		opts.Limit = &o.limit
	}
	if o.cmd.Flags().Changed("workers") {
		opts.Workers = &o.workers
	}
	if o.cmd.Flags().Changed("seed") {
		opts.Seed = &o.seed
	}
	return opts
}

// load reads an experiment with the overrides applied.
func (o *overrides) load(nameOrPath string) (configs.Experiment, error) {
	e, err := configs.Load(nameOrPath, known(), o.options())
	return e, ofFlags(err)
}

// known is what an experiment may name, with the tables and figures of reports.
func known() configs.Known {
	k := catalog.Known
	k.Reports, k.Swept = paper.Reports(), paper.Swept()
	return k
}

// ofFlags turns an error into a usageError where all its problems come from settings on the command line. Problems in the
// experiment's file are no wrong use of the command line.
func ofFlags(err error) error {
	var bad *configs.Error
	if !errors.As(err, &bad) || slices.ContainsFunc(bad.Problems, func(p string) bool { return !strings.HasPrefix(p, "--") }) {
		return err
	}
	return usageError{err}
}
