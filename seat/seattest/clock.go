package seattest

import (
	"sync"
	"time"

	"github.com/arcseat/arc/seat"
)

// A Clock stands still until it is moved.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	elapsed time.Duration
	waiting []waiting
}

type waiting struct {
	at time.Duration
	c  chan time.Time
}

var _ seat.Clock = (*Clock)(nil)

// NewClock is a clock that shows nine in the morning, UTC, of 1 March 2026.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

// Now implements seat.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Elapsed implements seat.Clock.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// After implements seat.Clock.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	c.waiting = append(c.waiting, waiting{c.elapsed + d, ch})
	return ch
}

// Advance lets time pass, also that of a machine that sleeps.
func (c *Clock) Advance(d time.Duration) { c.move(d, d) }

// Jump sets the wall clock to another time, as NTP or a person does. No time passes.
func (c *Clock) Jump(d time.Duration) { c.move(d, 0) }

func (c *Clock) move(wall, elapsed time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(wall)
	c.elapsed += elapsed
	var left []waiting
	for _, w := range c.waiting {
		if w.at <= c.elapsed {
			w.c <- c.now
		} else {
			left = append(left, w)
		}
	}
	c.waiting = left
}
