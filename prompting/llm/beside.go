package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Beside lists what is sent beside the usual parameters: "reasoning high, seed 7, chat_template_kwargs
// {"enable_thinking":false}, min_p 0.1"; empty for none. Fields of Extra come last, sorted.
func (p Params) Beside() string {
	var parts []string
	if p.Reasoning != "" {
		parts = append(parts, "reasoning "+p.Reasoning)
	}
	if p.FixedSeed != nil {
		parts = append(parts, fmt.Sprintf("seed %d", *p.FixedSeed))
	}
	own := len(parts)
	for name, v := range p.Extra {
		b, err := json.Marshal(v)
		if err != nil { // unreachable: configs takes only what JSON has
			b = []byte("?")
		}
		parts = append(parts, name+" "+string(b))
	}
	slices.Sort(parts[own:])
	return strings.Join(parts, ", ")
}
