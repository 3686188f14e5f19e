package gateway

// Asking returns how many orders of an exchange are in its trace.
func (e *Exchange) Asking() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.trace)
}
