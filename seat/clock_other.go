//go:build !linux

package seat

import "time"

// Elapsed is the monotonic clock, which may stand still while the machine sleeps;
// the wall clock then brings what is overdue after a restart.
func (w wall) Elapsed() time.Duration { return time.Since(w.start) }
