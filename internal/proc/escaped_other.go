//go:build !linux

package proc

// look cannot: who has left is found by nobody.
func (e *escaped) look() int { return 0 }
