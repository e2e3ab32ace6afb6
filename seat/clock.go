package seat

import "time"

// A Clock tells time and waits. Tests bring their own.
type Clock interface {
	// Now is the wall clock's time. It may jump.
	Now() time.Time
	// Elapsed counts from some moment on, also while the machine sleeps, and never
	// jumps.
	Elapsed() time.Duration
	// After is closed or sent to once d has passed.
	After(d time.Duration) <-chan time.Time
}

// wall is the machine's clock.
type wall struct{ start time.Time }

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }

// micros is a time as it is stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
