package configs

import (
	"fmt"
	"time"
)

// Duration is a time.Duration that TOML has as text: "30s", "1m30s".
type Duration time.Duration

// UnmarshalText parses Go's form of a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("configs: duration %q: want a form like \"30s\" or \"1m30s\"", b)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the form that UnmarshalText parses.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }
