package seat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

// sleeper is a clock whose time passes when somebody sleeps, and as long as he wants to;
// told is how long that was.
type sleeper struct {
	*seattest.Clock
	told chan time.Duration
}

func (s sleeper) After(d time.Duration) <-chan time.Time {
	c := s.Clock.After(d)
	s.told <- d
	return c
}

// A Run sleeps until the next reminder is due and no longer, and never for more than a
// second, whoever armed it: what delays a reminder is the machine.
func TestAReminderIsNotSleptOver(t *testing.T) {
	t.Parallel()
	for name, restarted := range map[string]bool{"of the service that armed it": false, "armed before a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			asleep := make(chan time.Duration)
			r.o.Clock = sleeper{r.clock, asleep}
			r.restart()
			ctx, stop := context.WithCancel(r.ctx())
			defer stop()
			woken, ended := make(chan seat.Wake, 1), make(chan error)
			serve := func(svc *seat.Service, idle bool) {
				err := svc.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
					if x.From == seat.FromWake {
						woken <- x.Wakes[0]
						return "woken", nil
					}
					_, err := x.Seat.Remind(ctx, "c", arc.Reminder{After: 4321 * time.Millisecond, Note: "n"})
					return "armed", err
				}, &seat.RunOptions{Idle: idle})
				ended <- err
			}
			r.send("arm")
			go serve(r.svc, restarted)
			// No time passes while that turn runs: it is the store's to be slow.
			var d time.Duration
			for over := false; !over; {
				select {
				case d = <-asleep:
				case err := <-ended:
					if over = true; err != nil {
						t.Fatal(err)
					}
				case <-time.After(time.Millisecond):
					over = !restarted && len(r.context().Entries) == 1
				}
			}
			if restarted {
				r.restart()
				go serve(r.svc, false)
				d = <-asleep
			}
			for late := time.Duration(-1); late < 0; {
				if d > time.Second {
					t.Errorf("it sleeps for %v", d)
				}
				r.clock.Advance(d)
				select {
				case d = <-asleep:
				case w := <-woken:
					if late = w.Late; late != 0 {
						t.Errorf("it comes %v late by a clock that nothing delays", late)
					}
				}
			}
			stop()
			for over := false; !over; {
				select {
				case <-asleep:
				case err := <-ended:
					if over = true; !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
			}
		})
	}
}
