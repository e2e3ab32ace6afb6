package worker

// limit does nothing: here only time is limited, by the host.
func limit(int64) error { return nil }
