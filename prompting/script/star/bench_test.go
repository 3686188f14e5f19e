package star

import (
	"context"
	"testing"

	"go.starlark.net/starlark"
)

// small is a function such as a method has.
const small = `
def answer(text):
    parts = [p.strip() for p in text.split(",") if p != ""]
    n = 0
    for p in parts:
        n += len(p)
    return ", ".join(parts) + " (%d)" % n
`

// edit is a function that does arithmetic: the distance of two texts.
const edit = `
def answer(a):
    b = a[::-1]
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        last, row[0] = row[0], i + 1
        for j in range(len(b)):
            now = last if a[i] == b[j] else 1 + min(last, row[j], row[j + 1])
            last, row[j + 1] = row[j + 1], now
    return row[-1]
`

// BenchmarkCall calls functions as this package runs them and as the bare interpreter does, which has no limits.
func BenchmarkCall(b *testing.B) {
	for _, c := range []struct{ name, source, arg string }{
		{"empty", "def answer(x): return x", ""},
		{"small", small, "name, age, town, country"},
		{"edit", edit, "the quick brown fox jumps over"},
	} {
		args := tuple{starlark.String(c.arg)}
		b.Run(c.name+"/bounded", func(b *testing.B) {
			p, err := load(c.source)
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for b.Loop() {
				if _, err := p.Call(ctx, p.Function("answer"), nil, nil, args, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/bare", func(b *testing.B) {
			globals, err := starlark.ExecFileOptions(options, &starlark.Thread{}, "method.star", c.source, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := starlark.Call(&starlark.Thread{}, globals["answer"], args, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad compiles a file.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load(small); err != nil {
			b.Fatal(err)
		}
	}
}
