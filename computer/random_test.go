package computer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"pgregory.net/rapid"
)

var kinds = []computer.Kind{
	computer.Screenshot, computer.Zoom, computer.LeftClick, computer.RightClick, computer.MiddleClick, computer.DoubleClick, computer.TripleClick,
	computer.LeftClickDrag, computer.MouseMove, computer.LeftMouseDown, computer.LeftMouseUp, computer.CursorPosition, computer.Scroll,
	computer.Type, computer.PressKey, computer.HoldKey, computer.Wait,
}

// genAction draws an action, one in six of them with whatever in its fields.
func genAction(t *rapid.T) computer.Action {
	a := computer.Action{Action: rapid.SampledFrom(kinds).Draw(t, "kind")}
	if rapid.IntRange(0, 5).Draw(t, "sense") == 0 {
		number := rapid.IntRange(-5, 110)
		a.Coordinate = rapid.SliceOfN(number, 0, 2).Draw(t, "coordinate")
		a.StartCoordinate = rapid.SliceOfN(number, 0, 2).Draw(t, "start")
		a.Text = rapid.SampledFrom([]string{"", "ctrl", "words", "no_key", "\x00"}).Draw(t, "text")
		a.ScrollAmount = rapid.SampledFrom([]int{0, 1, -1, 70}).Draw(t, "amount")
		a.Region = rapid.SliceOfN(number, 0, 4).Draw(t, "region")
		a.Duration = rapid.SampledFrom([]float64{0, 0.5, -1, 1e9}).Draw(t, "duration")
		return a
	}
	point := rapid.SliceOfN(rapid.IntRange(0, 52), 2, 2)
	switch a.Action {
	case computer.Zoom:
		a.Region = []int{0, 10, rapid.IntRange(1, 50).Draw(t, "x"), 40}
	case computer.Type:
		a.Text = "words"
	case computer.PressKey:
		a.Text = rapid.SampledFrom([]string{"ctrl+shift+T", "Return Down"}).Draw(t, "keys")
	case computer.HoldKey:
		a.Text, a.Duration = "shift+a", rapid.Float64Range(0.01, 200).Draw(t, "duration")
	case computer.Wait:
		a.Duration = rapid.Float64Range(0, 200).Draw(t, "duration")
	case computer.Screenshot, computer.CursorPosition:
	case computer.LeftMouseDown, computer.LeftMouseUp, computer.MouseMove:
		a.Coordinate = point.Draw(t, "coordinate")
	default:
		a.Coordinate = point.Draw(t, "coordinate")
		a.Text = rapid.SampledFrom([]string{"", "shift", "ctrl+alt"}).Draw(t, "modifiers")
		if a.Action == computer.Scroll {
			a.ScrollDirection = "left"
		}
	}
	return a
}

// A randomCall is a call and what goes wrong about it.
type randomCall struct {
	actions []computer.Action
	fails   int // the event that does; 0: none
	width   int // of the screen from now on; 0: as it was
	limit   time.Duration
}

func genCall(t *rapid.T) randomCall {
	return randomCall{
		actions: rapid.SliceOfN(rapid.Custom(genAction), 1, 4).Draw(t, "actions"),
		fails:   rapid.IntRange(0, 40).Draw(t, "fails"),
		width:   rapid.SampledFrom([]int{0, 0, 0, 50, 110}).Draw(t, "width"),
		limit:   time.Duration(rapid.IntRange(1, 300_000).Draw(t, "limit")) * time.Millisecond,
	}
}

// Whatever a model sends and whatever the desktop does, each answer adds up, each
// code is one that is named, and a button is held only if the result says so.
func TestAnyCallHasAnAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		calls := rapid.SliceOfN(rapid.Custom(genCall), 1, 5).Draw(rt, "calls")
		f := computertest.New(100, 80)
		fails := 0
		f.OnEvent = func(string) error {
			if fails--; fails == 0 {
				return errors.New("broken")
			}
			return nil
		}
		var fault string
		on(t, f, nil, func(t *testing.T, d desk) {
			d.must(shot)
			for _, c := range calls {
				if c.width > 0 {
					f.Resize(c.width, 80)
				}
				fails = c.fails
				if fault = d.answers(c); fault != "" {
					return
				}
				fails = 0
			}
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// answers makes a call and says what is wrong with its answer.
func (d desk) answers(c randomCall) string {
	ctx, cancel := context.WithTimeout(d.t.Context(), c.limit)
	defer cancel()
	r, err := d.Do(ctx, me, env, computer.Args{Actions: c.actions})
	held, heldErr := d.fake.Held(d.t.Context())
	known := slices.ContainsFunc([]error{
		nil, arc.InvalidArguments, arc.OutOfRange, computer.NoFrame, computer.StaleFrame, computer.UnknownKey, computer.UntypableText,
		computer.Backend, context.DeadlineExceeded,
	}, func(code error) bool { return errors.Is(err, code) })
	if !known || heldErr != nil {
		return fmt.Sprintf("%+v answers %v, %v", c, err, heldErr)
	}
	if r == nil {
		if err == nil {
			return fmt.Sprintf("%+v has no answer", c)
		}
		return ""
	}
	switch done := r.Executed + r.Skipped; {
	case err == nil && done != len(c.actions), r.Failed != nil && done+1 != len(c.actions):
		return fmt.Sprintf("%+v answers %+v, %v", c, r, err)
	case len(held) != len(r.Held), len(held) > 1:
		return fmt.Sprintf("after %+v held is %v, and the result says %v", c, held, r.Held)
	}
	return ""
}
