package process

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// guarding is a shell's program that reads which groups there are, and kills those that are left when its input ends, and what
// has its first argument in its environment.
const guarding = `trap '' INT TERM HUP QUIT
all=
while read -r what group; do
  case $what in
  +) all="$all $group" ;;
  *) rest=; for one in $all; do [ "$one" = "$group" ] || rest="$rest $one"; done; all=$rest ;;
  esac
done
for one in $all; do kill -9 -"$one"; done 2>/dev/null
for file in $(grep -lsz "^$1" /proc/[0-9]*/environ); do one=${file#/proc/}; kill -9 "${one%/environ}"; done 2>/dev/null`

// guard is a process that outlives this one by a moment: where this one is killed, nobody else could end the children of its
// programs. Where there is no shell to be had there is none.
type guard struct {
	mu  sync.Mutex
	out io.Writer // nil: there is none
}

// theGuard is started with the first program.
var theGuard = sync.OnceValue(func() *guard {
	c := exec.Command("/bin/sh", "-c", guarding, "sh", marking+theMark())
	c.Env, c.SysProcAttr = []string{"PATH=/usr/bin:/bin"}, apart()
	out, err := c.StdinPipe()
	if err != nil {
		return &guard{}
	}
	if err := c.Start(); err != nil {
		return &guard{}
	}
	go func() { _ = c.Wait() }() // it ends when out does, which nobody closes
	return &guard{out: out}
})

// add has a group killed when this process ends; remove does not any more.
func (g *guard) add(pid int)    { g.say('+', pid) }
func (g *guard) remove(pid int) { g.say('-', pid) }

func (g *guard) say(what rune, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.out != nil {
		_, _ = fmt.Fprintf(g.out, "%c %d\n", what, pid)
	}
}
