package star

import (
	"fmt"

	"go.starlark.net/starlark"
)

// The limits of one call (loading a method's files counts as one). They are fixed: a run must not depend on the machine.
const (
	// maxSteps is how much a call may compute. A step is an instruction of the interpreter, about 10 to 20 ns; what a checked
	// function does in one instruction is charged as the instructions that would take as long. The whole is about a second.
	maxSteps = 50_000_000
	// maxBuilt is how many bytes of texts and containers a call may build in all, kept or not.
	maxBuilt = 128 << 20
	// maxLoaded is maxBuilt for loading a method's files, whose globals are kept for the length of a run.
	maxLoaded = 16 << 20
	// share is by how many bytes a call takes of the caller's memory at a time.
	share = 2 << 10
	// maxText is the length of a text in bytes.
	maxText = 16 << 20
	// maxItems is the length of a list, tuple, dict or set, and the number of values in all levels of one that is printed,
	// compared, hashed, encoded or frozen, each counted as often as it occurs.
	maxItems = 1_000_000
	// maxNesting is how deep such a value may nest.
	maxNesting = 100
	// maxBits is the size of an int.
	maxBits = 1024
	// maxFiles and maxSource (bytes of one) bound what a method is made of.
	maxFiles  = 64
	maxSource = 256 << 10
)

// What a call that went over a limit returns; the text is what a person reads.
var (
	errSteps  = fmt.Errorf("too much work: a call may take %d steps (about a second); is there a loop that does not end?", maxSteps)
	errBuilt  = fmt.Errorf("too much memory: a call may build %d MB of texts and lists in all; text grows cheapest as a list of parts, joined at the end", maxBuilt>>20)
	errLoaded = fmt.Errorf("too much memory: a method's files may build %d MB of texts and lists while they are loaded", maxLoaded>>20)
	errText   = fmt.Errorf("the text is too long: %d MB are the most", maxText>>20)
	errItems  = fmt.Errorf("too many items: %d are the most", maxItems)
	errDeep   = fmt.Errorf("the value nests too deep: %d levels are the most; does it contain itself?", maxNesting)
	errInt    = fmt.Errorf("the number is too large: %d bits are the most", maxBits)
)

// meterKey is where a thread keeps its meter.
const meterKey = "star.meter"

// meter counts what a call used.
type meter struct {
	built   int
	loading bool            // of files
	held    int             // of that, what hold has granted
	hold    func(int) error // grants so many bytes more; nil: all that the limits allow
	tooMany bool            // the steps ran out
	crowds  map[value]*crowd
}

// build charges bytes that the thread's call has built or is about to.
func build(thread *starlark.Thread, bytes int) error {
	m, _ := thread.Local(meterKey).(*meter)
	if m == nil {
		return nil
	}
	m.built += bytes
	switch {
	case m.built > maxBuilt:
		return errBuilt
	case m.loading && m.built > maxLoaded:
		return errLoaded
	}
	if m.hold == nil || m.built <= m.held {
		return nil
	}
	more := (m.built - m.held + share - 1) / share * share
	if err := m.hold(more); err != nil {
		return err
	}
	m.held += more
	return nil
}

// work charges what a function does in Go, in steps.
func work(thread *starlark.Thread, steps int) error {
	thread.Steps += uint64(max(steps, 0))
	if thread.Steps >= maxSteps {
		if m, _ := thread.Local(meterKey).(*meter); m != nil {
			m.tooMany = true
		}
		return errSteps
	}
	return nil
}
