package llm

import "strings"

// Why is the failure's reason and what was said of it, on one line: the provider's own words, which it has clipped and
// freed of secrets.
func (f *Failure) Why() string {
	if f.Err == nil {
		return f.Reason
	}
	return f.Reason + ": " + strings.Join(strings.Fields(f.Err.Error()), " ")
}
