//go:build !linux

package proc

// look cannot: who has left is found by nobody.
func (e *escaped) look(bool) int { return 0 }

func (e *escaped) known() int { return 0 }

func ticks() uint64 { return 0 }
