package judge

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/configs/input"
	"assay/configs/output"
)

// kept is the answers of one program, by the key of the question. On disk they are a line of JSON each, in a file of the
// program's fingerprint.
type kept struct {
	path string // empty: they are not kept on disk

	mu      sync.Mutex
	known   map[string]answer
	used    map[string]bool          // keys asked for in this process
	asking  map[string]chan struct{} // closed when the answer is there
	changed bool
	written time.Time
	took    time.Duration
}

// The bounds of what is kept on disk.
const (
	mostFiles   = 100     // programs
	mostAnswers = 200_000 // of one program; beyond them, those that this run had no use for go
)

// every is the shortest time between two writes while a run goes on.
const every = 30 * time.Second

// saved is a line of the file.
type saved struct {
	Key string `json:"key"`
	answer
}

// open reads the answers of a program. A file that cannot be read has none.
func open(folder, fingerprint string) *kept {
	k := &kept{known: map[string]answer{}, used: map[string]bool{}, asking: map[string]chan struct{}{}, written: time.Now()}
	if folder == "" || os.MkdirAll(folder, 0o755) != nil {
		return k
	}
	sum := sha256.Sum256([]byte(fingerprint))
	k.path = filepath.Join(folder, hex.EncodeToString(sum[:16])+".jsonl")
	k.known = read(k.path)
	return k
}

// read reads a file of answers, as far as it is one.
func read(path string) map[string]answer {
	out := map[string]answer{}
	f, err := input.Open(path, input.Scores)
	if err != nil {
		return out
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var one saved
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.Key != "" && one.Score >= 0 && one.Score <= 1 {
			out[one.Key] = one.answer
		}
	}
	return out
}

// get returns the answer to a question, and asks for it where it is not known. Callers with the same question wait for one
// of them; where it fails, another asks.
func (k *kept) get(ctx context.Context, key string, ask func() (answer, error)) (answer, error) {
	for {
		a, wait := k.claim(key)
		switch {
		case wait == nil:
			return a, nil
		case wait == mine:
			a, err := ask()
			k.settle(key, a, err)
			return a, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
}

// mine is what claim returns to the caller who is to ask.
var mine = make(chan struct{})

// claim returns an answer that is known, or else what to wait for.
func (k *kept) claim(key string) (answer, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a, ok := k.known[key]; ok {
		k.used[key] = true
		return a, nil
	}
	if wait, ok := k.asking[key]; ok {
		return answer{}, wait
	}
	k.asking[key] = make(chan struct{})
	return answer{}, mine
}

// settle stores an answer, and from time to time the file.
func (k *kept) settle(key string, a answer, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.asking[key])
	delete(k.asking, key)
	if err != nil {
		return
	}
	k.known[key], k.used[key], k.changed = a, true, true
	if time.Since(k.written) > max(every, 20*k.took) {
		_ = k.write() // close says what is wrong
	}
}

// close writes what is new.
func (k *kept) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.write()
}

// write writes the file, with what other processes have added meanwhile. Its lines are sorted, so that the same answers are
// the same bytes.
func (k *kept) write() error {
	if !k.changed || k.path == "" {
		return nil
	}
	start := time.Now()
	all := read(k.path)
	maps.Copy(all, k.known)
	if len(all) > mostAnswers {
		maps.DeleteFunc(all, func(key string, _ answer) bool { return !k.used[key] })
	}
	prune(filepath.Dir(k.path))
	err := output.File(k.path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if err := lines.Encode(saved{key, all[key]}); err != nil {
				return err
			}
		}
		return nil
	})
	k.changed, k.written = err != nil, time.Now()
	k.took = k.written.Sub(start)
	return err
}

// prune removes the files that were written longest ago where there are too many.
func prune(folder string) {
	files, err := os.ReadDir(folder)
	if err != nil || len(files) < mostFiles {
		return
	}
	age := func(e os.DirEntry) time.Time {
		if info, err := e.Info(); err == nil {
			return info.ModTime()
		}
		return time.Time{}
	}
	slices.SortFunc(files, func(a, b os.DirEntry) int { return age(a).Compare(age(b)) })
	for _, old := range files[:len(files)-mostFiles+1] {
		_ = os.Remove(filepath.Join(folder, old.Name()))
	}
}
