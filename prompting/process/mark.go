package process

import (
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
)

// marking begins the variable by which a program's descendants are known that left its group: a server that it started in a
// session of its own would run on.
const marking = "ASSAY_PROGRAM="

// theMark begins the marks of all programs of this process.
var theMark = sync.OnceValue(rand.Text)

// marks counts the programs.
var marks atomic.Int64

// newMark returns a variable that no other program has.
func newMark() string { return fmt.Sprintf("%s%s-%d", marking, theMark(), marks.Add(1)) }
