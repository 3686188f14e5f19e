package llm

import "strings"

// Why returns the failure's reason and cause on one line. The cause is the provider's own text, already truncated and
// without secrets.
func (f *Failure) Why() string {
	if f.Err == nil {
		return f.Reason
	}
	return f.Reason + ": " + strings.Join(strings.Fields(f.Err.Error()), " ")
}
