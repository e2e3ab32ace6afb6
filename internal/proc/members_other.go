//go:build unix && !linux

package proc

import (
	"errors"
	"time"
)

// living cannot look: signal 0 to the leader's process group has to do.
func living(int, bool) (int, error) { return 0, errors.ErrUnsupported }

// groups cannot look.
func groups(int) []int { return nil }

// find cannot read another process's environment.
func find(pid int, _ string) (found, maybe bool) { return false, lives(pid) }

func emptySince(int, time.Time) bool { return false }
