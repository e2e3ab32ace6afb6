package seattest_test

import (
	"fmt"
	"time"

	"github.com/arcseat/arc/seat/seattest"
)

// A test that gives the clock to seat.Options moves it from one due time to the next.
func ExampleClock() {
	clock := seattest.NewClock()
	due := clock.After(time.Hour)

	clock.Jump(24 * time.Hour) // somebody sets the wall clock: no time has passed
	select {
	case <-due:
		fmt.Println("due too early")
	default:
		fmt.Println("not due at", clock.Now().Format(time.DateTime))
	}

	clock.Advance(time.Hour)
	<-due
	fmt.Println("due after", clock.Elapsed())
	// Output:
	// not due at 2026-03-02 09:00:00
	// due after 1h0m0s
}
