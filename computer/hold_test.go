package computer_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

// everything presses something in every way that there is.
var everything = []computer.Action{
	{Action: computer.TripleClick, Coordinate: []int{5, 5}, Text: "ctrl+shift"},
	{Action: computer.LeftClickDrag, StartCoordinate: []int{10, 10}, Coordinate: []int{50, 60}, Text: "alt"},
	{Action: computer.Scroll, ScrollDirection: "down", Text: "super"},
	{Action: computer.PressKey, Text: "ctrl+alt+Delete Return"},
	{Action: computer.HoldKey, Text: "shift+a", Duration: 2},
	{Action: computer.Type, Text: "words"},
	{Action: computer.LeftMouseDown},
	{Action: computer.MouseMove, Coordinate: []int{90, 90}},
}

// A modifier that stays down makes a command of every key that the operator types.
func TestNothingIsHeldAfterAFailureAtAnyStep(t *testing.T) {
	t.Parallel()
	var total int
	for failAt := 0; failAt == 0 || failAt <= total; failAt++ {
		f := computertest.New(100, 100)
		n := 0
		broken := errors.New("broken")
		f.OnEvent = func(string) error {
			if n++; n == failAt {
				return broken
			}
			return nil
		}
		on(t, f, nil, func(t *testing.T, d desk) {
			d.must(shot)
			r, err := d.do(everything...)
			if failAt == 0 {
				total = n
				if err != nil || !slices.Equal(r.Held, []string{"left_button"}) {
					t.Fatalf("without a failure: %+v, %v", r, err)
				}
				return
			}
			if !errors.Is(err, computer.Backend) || !errors.Is(err, broken) || r.Failed == nil || *r.Failed != r.Executed || r.Skipped != len(everything)-r.Executed-1 || r.Image == nil {
				t.Errorf("a failure at event %d: %+v, %v", failAt, r, err)
			}
			d.nothingHeld()
			if len(r.Held) != 0 {
				t.Errorf("it says that %v is held", r.Held)
			}
		})
	}
	if total < 50 {
		t.Errorf("only %d failures were tried", total)
	}
}

func TestNothingIsHeldAfterACancelAtAnyTime(t *testing.T) {
	t.Parallel()
	for after := time.Duration(0); after < 5*time.Second; after += 23 * time.Millisecond {
		on(t, computertest.New(60, 40), nil, func(t *testing.T, d desk) {
			d.must(computer.Action{Action: computer.LeftMouseDown}) // of an earlier call
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			actions := slices.Clone(everything)
			for i := range actions {
				actions[i].Coordinate, actions[i].StartCoordinate = nil, nil
			}
			actions = slices.DeleteFunc(actions, func(a computer.Action) bool {
				return a.Action == computer.LeftClickDrag || a.Action == computer.MouseMove
			})
			begin := time.Now()
			_, err := d.Do(ctx, me, env, computer.Args{Actions: actions})
			if err == nil {
				return // it was done in time
			}
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > after+20*time.Millisecond {
				t.Errorf("canceled after %v it answers %v after %v", after, err, time.Since(begin))
			}
			if after > 0 {
				d.nothingHeld()
			}
		})
	}
}

// What a call lets go of on its way must not shield what it presses after that.
func TestAFailureAfterSomethingWasDropped(t *testing.T) {
	t.Parallel()
	f := computertest.New(300, 200)
	on(t, f, nil, func(t *testing.T, d desk) {
		d.must(computer.Action{Action: computer.LeftMouseDown})
		f.OnEvent = func(e string) error {
			if e == "shift down" {
				f.Press("shift") // it arrives all the same
				return errors.New("broken")
			}
			return nil
		}
		r, err := d.do(computer.Action{Action: computer.LeftMouseUp}, computer.Action{Action: computer.LeftClick, Text: "shift"})
		if !errors.Is(err, computer.Backend) || len(r.Held) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		d.nothingHeld()
	})
}

func TestADragThatIsCanceledLetsGo(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"left down", "move 30,30", "move 50,60"} {
		f := computertest.New(300, 200)
		on(t, f, nil, func(t *testing.T, d desk) {
			d.must(shot)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f.OnEvent = func(e string) error {
				if e == at {
					cancel()
				}
				return nil
			}
			r, err := d.Do(ctx, me, env, computer.Args{Actions: everything[1:2]})
			if at != "move 30,30" && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %+v, %v", at, r, err)
			}
			d.nothingHeld()
		})
	}
}

func TestWhatAKilledProcessHeldIsReleasedAtOpen(t *testing.T) {
	t.Parallel()
	f := computertest.New(300, 200)
	f.Press("left_button", "shift")
	on(t, f, nil, func(t *testing.T, d desk) {
		d.nothingHeld()
		if r := d.must(shot); !slices.Equal(r.Notes, []string{"released_left_over_keys"}) {
			t.Errorf("the first result notes %v", r.Notes)
		}
		if r := d.must(shot); len(r.Notes) != 0 {
			t.Errorf("the second notes %v", r.Notes)
		}
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		d.must(computer.Action{Action: computer.LeftMouseDown})
		done := make(chan error)
		go func() {
			_, err := d.do(computer.Action{Action: computer.HoldKey, Text: "shift", Duration: 90})
			done <- err
		}()
		time.Sleep(time.Second)
		begin := time.Now()
		if err := d.Stop(t.Context()); err != nil {
			t.Errorf("Stop: %v", err)
		}
		if err := <-done; !errors.Is(err, computer.Stopped) || time.Since(begin) > 20*time.Millisecond {
			t.Errorf("the call that ran answers %v after %v", err, time.Since(begin))
		}
		d.nothingHeld()
		if r, err := d.do(shot); !errors.Is(err, computer.Stopped) || r != nil {
			t.Errorf("a call afterwards: %+v, %v", r, err)
		}
		d.Resume()
		d.must(shot)
	})
}

func TestCloseLetsGo(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		d.must(computer.Action{Action: computer.LeftMouseDown})
		done := make(chan error)
		go func() {
			_, err := d.do(computer.Action{Action: computer.HoldKey, Text: "shift", Duration: 90})
			done <- err
		}()
		time.Sleep(time.Second)
		if err := d.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := <-done; !errors.Is(err, arc.ShuttingDown) {
			t.Errorf("the call that ran answers %v", err)
		}
		if got := d.fake.Events(); !slices.Contains(got, "shift up") || !slices.Contains(got, "left up") {
			t.Errorf("sent was %v", got)
		}
		if _, err := d.do(shot); !errors.Is(err, arc.ShuttingDown) {
			t.Errorf("a call afterwards: %v", err)
		}
	})
}

func TestOneCallAtATime(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			d.must(computer.Action{Action: computer.Wait, Duration: 20})
		}()
		time.Sleep(time.Second)
		begin := time.Now()
		if _, err := d.do(shot); !errors.Is(err, arc.Locked) || time.Since(begin) != 5*time.Second {
			t.Errorf("it answers %v after %v", err, time.Since(begin))
		}
		time.Sleep(11 * time.Second)
		d.must(shot) // which waits for the other's end
		<-done
	})
}

func TestTheGuard(t *testing.T) {
	t.Parallel()
	forbidden := image.Rect(0, 0, 100, 20)
	o := &computer.Options{Guard: func(_ context.Context, a computer.Action, at *image.Point) error {
		if at != nil && at.In(forbidden) {
			return errors.New("the panel is the operator's")
		}
		if strings.Contains(a.Text, "sudo") {
			return &arc.Error{Code: arc.Forbidden, Message: "no sudo here."}
		}
		return nil
	}}
	on(t, computertest.New(300, 200), o, func(t *testing.T, d desk) {
		d.must(shot)
		r, err := d.do(click(50, 50), click(50, 10), click(60, 60))
		if !errors.Is(err, arc.Forbidden) || r.Executed != 1 || *r.Failed != 1 || r.Skipped != 1 || r.Image == nil {
			t.Errorf("%+v, %v", r, err)
		}
		d.sent("move 50,50", "left down", "left up")
		if _, err := d.do(computer.Action{Action: computer.Type, Text: "sudo rm"}); !errors.Is(err, arc.Forbidden) || !strings.Contains(err.Error(), "no sudo") {
			t.Errorf("typing it: %v", err)
		}
		d.sent()
		r, err = d.do(computer.Action{Action: computer.LeftClickDrag, StartCoordinate: []int{50, 10}, Coordinate: []int{60, 60}})
		if !errors.Is(err, arc.Forbidden) || r.Executed != 0 {
			t.Errorf("dragging out of it: %+v, %v", r, err)
		}
		d.sent()
	})
}

// TestAGuardThatPanicsLeavesNothingDown: what the call has pressed is let go of, and the
// next one goes ahead.
func TestAGuardThatPanicsLeavesNothingDown(t *testing.T) {
	t.Parallel()
	o := &computer.Options{Guard: func(_ context.Context, a computer.Action, _ *image.Point) error {
		if a.Action == computer.MouseMove {
			panic("no rules")
		}
		return nil
	}}
	on(t, computertest.New(300, 200), o, func(t *testing.T, d desk) {
		d.must(shot)
		func() {
			defer func() { _ = recover() }() // as a session does
			d.do(computer.Action{Action: computer.LeftMouseDown}, computer.Action{Action: computer.MouseMove, Coordinate: []int{50, 50}})
			t.Error("nothing panicked")
		}()
		d.sent("left down", "left up")
		d.must(click(60, 60))
	})
}

// A refusal without a result tells nothing of what happened before it.
func TestANoteOutlastsARefusal(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		d.must(shot)
		d.must(computer.Action{Action: computer.LeftMouseDown})
		time.Sleep(2 * time.Minute)
		if r, err := d.do(click(900, 900)); r != nil || !errors.Is(err, arc.OutOfRange) {
			t.Fatalf("a click beyond the edge: %+v, %v", r, err)
		}
		if r := d.must(shot); !slices.Equal(r.Notes, []string{"button_released_after_hold_limit"}) {
			t.Errorf("the notes are %v", r.Notes)
		}
		if r := d.must(shot); len(r.Notes) != 0 {
			t.Errorf("and again %v", r.Notes)
		}
	})
}

func TestSomebodyElseMovesThePointer(t *testing.T) {
	t.Parallel()
	for _, refuse := range []bool{false, true} {
		t.Run(fmt.Sprintf("refused %v", refuse), func(t *testing.T) {
			on(t, computertest.New(300, 200), &computer.Options{RefuseTakeover: refuse}, func(t *testing.T, d desk) {
				d.must(shot)
				d.must(click(5, 5))
				d.fake.Forget()
				d.fake.Put(image.Pt(200, 100))
				r, err := d.do(click(6, 6))
				if !slices.Contains(r.Notes, "pointer_moved_by_someone_else") {
					t.Errorf("notes are %v", r.Notes)
				}
				if !refuse {
					if err != nil {
						t.Error(err)
					}
					d.sent("move 6,6", "left down", "left up")
					return
				}
				if !errors.Is(err, arc.Locked) || r.Image == nil {
					t.Errorf("%+v, %v", r, err)
				}
				d.sent()
				d.must(click(6, 6))
			})
		})
	}
}

func TestTheRateOfActions(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(30, 20), nil, func(t *testing.T, d desk) {
		e := env
		e.Model.Actions = 100
		begin := time.Now()
		if _, err := d.Do(t.Context(), me, e, computer.Args{Actions: slices.Repeat([]computer.Action{{Action: computer.CursorPosition}}, 61)}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("61 actions take %v", took)
		}
	})
}
