package star

// hinted is a placeholder
func hinted(err error, text []byte) error { return err }

func runtimeHint(message string) string { return "" }
