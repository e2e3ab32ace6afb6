package computer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

var (
	me  = arc.Origin{Run: "run", Seat: "me", Turn: "turn_1", Call: "call_1"}
	env = arc.Env{Access: arc.FullAccess, Model: arc.Model{Vision: true, Actions: 10}}
)

// atOnce is for tests of large screens that do not look at how they come to rest.
var atOnce = &computer.Options{FirstChange: -1}

// desk is a Computer over a fake, in a bubble where time costs nothing.
type desk struct {
	*computer.Computer
	fake *computertest.Fake
	t    *testing.T
}

// on runs a test on a fake in a bubble of its own.
func on(t *testing.T, f *computertest.Fake, o *computer.Options, test func(t *testing.T, d desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, err := computer.Open(t.Context(), f, o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := c.Close(context.Background()); err != nil {
				t.Errorf("Close: %v", err)
			}
		}()
		test(t, desk{c, f, t})
	})
}

func (d desk) do(actions ...computer.Action) (*computer.Result, error) {
	return d.Do(d.t.Context(), me, env, computer.Args{Actions: actions})
}

func (d desk) must(actions ...computer.Action) *computer.Result {
	d.t.Helper()
	r, err := d.do(actions...)
	if err != nil {
		d.t.Fatalf("%v: %v", actions, err)
	}
	return r
}

func (d desk) sent(want ...string) {
	d.t.Helper()
	if got := d.fake.Events(); !slices.Equal(got, want) {
		d.t.Errorf("sent was\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	d.fake.Forget()
}

func (d desk) nothingHeld() {
	d.t.Helper()
	if held, err := d.fake.Held(context.Background()); err != nil || len(held) != 0 {
		d.t.Errorf("held is %v, %v", held, err)
	}
}

func click(x, y int) computer.Action {
	return computer.Action{Action: computer.LeftClick, Coordinate: []int{x, y}}
}

var shot = computer.Action{Action: computer.Screenshot}

func TestWhatEachActionSends(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		action computer.Action
		want   []string
	}{
		{"a click", click(10, 20), []string{"move 10,20", "left down", "left up"}},
		{"a click where the pointer is", computer.Action{Action: computer.LeftClick}, []string{"left down", "left up"}},
		{"a right click", computer.Action{Action: computer.RightClick, Coordinate: []int{1, 2}}, []string{"move 1,2", "right down", "right up"}},
		{"a middle click is no left one", computer.Action{Action: computer.MiddleClick}, []string{"middle down", "middle up"}},
		{"a double click", computer.Action{Action: computer.DoubleClick}, []string{"left down", "left up", "left down 2", "left up 2"}},
		{"a triple click", computer.Action{Action: computer.TripleClick}, []string{"left down", "left up", "left down 2", "left up 2", "left down 3", "left up 3"}},
		{"modifiers are released after a click, the last one first", computer.Action{Action: computer.LeftClick, Text: "ctrl+shift"},
			[]string{"ctrl down", "shift down", "left down", "left up", "shift up", "ctrl up"}},
		{"moving", computer.Action{Action: computer.MouseMove, Coordinate: []int{5, 6}}, []string{"move 5,6"}},
		{"scrolling", computer.Action{Action: computer.Scroll, ScrollDirection: "down", ScrollAmount: 2, Coordinate: []int{5, 6}}, []string{"move 5,6", "wheel 0,1", "wheel 0,1"}},
		{"scrolling up is not down", computer.Action{Action: computer.Scroll, ScrollDirection: "up", ScrollAmount: 1}, []string{"wheel 0,-1"}},
		{"scrolling sideways", computer.Action{Action: computer.Scroll, ScrollDirection: "left", ScrollAmount: 1, Text: "shift"}, []string{"shift down", "wheel -1,0", "shift up"}},
		{"scrolling turns three notches when nothing is said", computer.Action{Action: computer.Scroll, ScrollDirection: "right"}, []string{"wheel 1,0", "wheel 1,0", "wheel 1,0"}},
		{"typing", computer.Action{Action: computer.Type, Text: "a\r\nb\rc"}, []string{`type "a\nb\nc"`}},
		{"a key", computer.Action{Action: computer.PressKey, Text: "ctrl+T"}, []string{"ctrl down", "t down", "t up", "ctrl up"}},
		{"several keys", computer.Action{Action: computer.PressKey, Text: "Down Return"}, []string{"Down down", "Down up", "Return down", "Return up"}},
		{"a held key", computer.Action{Action: computer.HoldKey, Text: "shift", Duration: 1.5}, []string{"shift down", "shift up"}},
		{"waiting", computer.Action{Action: computer.Wait}, nil},
		{"asking", computer.Action{Action: computer.CursorPosition}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
				d.must(shot)
				r := d.must(c.action)
				d.sent(c.want...)
				d.nothingHeld()
				if r.Executed != 1 || (r.Image == nil) != (c.action.Action == computer.CursorPosition) {
					t.Errorf("it answers %+v", r)
				}
			})
		})
	}
}

// Pages do not take a jump for a drag, and want to see it rest before it ends.
func TestADragMovesInSmallStepsAndEndsExactly(t *testing.T) {
	t.Parallel()
	var down, up time.Time
	f := computertest.New(2000, 1000)
	f.OnEvent = func(e string) error {
		switch e {
		case "left down":
			down = time.Now()
		case "left up":
			up = time.Now()
		}
		return nil
	}
	on(t, f, atOnce, func(t *testing.T, d desk) {
		d.must(shot)
		e := env
		e.Model.MaxEdge, e.Model.MaxPixels = 2000, 2_000_000
		if _, err := d.Do(t.Context(), me, e, computer.Args{Actions: []computer.Action{shot}}); err != nil {
			t.Fatal(err)
		}
		d.must(computer.Action{Action: computer.LeftClickDrag, StartCoordinate: []int{100, 100}, Coordinate: []int{1899, 300}})
		events := d.fake.Events()
		moves := 0
		for _, e := range events {
			if strings.HasPrefix(e, "move") {
				moves++
			}
		}
		if events[0] != "move 100,100" || events[1] != "left down" || events[len(events)-2] != "move 1899,300" || events[len(events)-1] != "left up" || moves != 1+1799/40 {
			t.Errorf("%d moves: %v", moves, events)
		}
		if d := up.Sub(down); d != 100*time.Millisecond+44*16*time.Millisecond {
			t.Errorf("it takes %v", d)
		}
		d.nothingHeld()
	})
}

func TestDraggingByHand(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		d.must(shot)
		r := d.must(computer.Action{Action: computer.LeftMouseDown, Coordinate: []int{10, 10}})
		if !slices.Equal(r.Held, []string{"left_button"}) {
			t.Errorf("held is %v", r.Held)
		}
		d.sent("move 10,10", "left down")
		if r = d.must(computer.Action{Action: computer.LeftMouseDown}); !slices.Equal(r.Notes, []string{"was_down"}) {
			t.Errorf("pressing it twice: %v", r.Notes)
		}
		r = d.must(computer.Action{Action: computer.LeftMouseUp, Coordinate: []int{20, 30}})
		want := []string{}
		for i := 1; i <= 10; i++ {
			want = append(want, fmt.Sprintf("move %d,%d", 10+i, 10+2*i))
		}
		d.sent(append(want, "left up")...)
		if len(r.Held) != 0 || len(r.Notes) != 0 {
			t.Errorf("held is %v, notes %v", r.Held, r.Notes)
		}
		if r = d.must(computer.Action{Action: computer.LeftMouseUp}); !slices.Equal(r.Notes, []string{"was_not_down"}) {
			t.Errorf("releasing it twice: %v", r.Notes)
		}
	})
}

// A second press of a button that is down is none for a program.
func TestAClickWhileTheButtonIsHeldDropsWhatIsDragged(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		r := d.must(computer.Action{Action: computer.LeftMouseDown}, computer.Action{Action: computer.LeftClick})
		d.sent("left down", "left up", "left down", "left up")
		if len(r.Held) != 0 || !slices.Equal(r.Notes, []string{"was_down"}) {
			t.Errorf("held is %v, notes %v", r.Held, r.Notes)
		}
	})
}

func TestAButtonIsNotHeldForEver(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		d.must(computer.Action{Action: computer.LeftMouseDown})
		time.Sleep(59 * time.Second)
		if held, _ := d.fake.Held(t.Context()); len(held) != 1 {
			t.Errorf("after 59 s held is %v", held)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		d.nothingHeld()
		if r := d.must(shot); !slices.Equal(r.Notes, []string{"button_released_after_hold_limit"}) {
			t.Errorf("the next call notes %v", r.Notes)
		}
	})
}

func TestNothingHappensUnlessAllOfACallMakesSense(t *testing.T) {
	t.Parallel()
	key := func(s string) computer.Action { return computer.Action{Action: computer.PressKey, Text: s} }
	for _, c := range []struct {
		name    string
		actions []computer.Action
		code    arc.Code
		says    string
	}{
		{"none", nil, arc.InvalidArguments, "1 to 10"},
		{"too many", slices.Repeat([]computer.Action{shot}, 11), arc.InvalidArguments, "11 entries"},
		{"an unknown key in the second", []computer.Action{click(1, 1), key("Retrun")}, computer.UnknownKey, "Return"},
		{"a coordinate outside in the second", []computer.Action{key("a"), click(300, 5)}, arc.OutOfRange, "actions[1]"},
		{"two mistakes", []computer.Action{key("Retrun"), {Action: computer.Zoom}}, arc.InvalidArguments, "actions[1]: zoom needs region"},
		{"one number", []computer.Action{{Action: computer.LeftClick, Coordinate: []int{4}}}, arc.InvalidArguments, "needs 2"},
		{"three numbers", []computer.Action{{Action: computer.Zoom, Region: []int{1, 2, 3}}}, arc.InvalidArguments, "needs 4"},
		{"a coordinate for typing", []computer.Action{{Action: computer.Type, Text: "a", Coordinate: []int{1, 1}}}, arc.InvalidArguments, "takes no coordinate"},
		{"words for a click", []computer.Action{{Action: computer.LeftClick, Text: "OK button"}}, computer.UnknownKey, "no key"},
		{"a key that is to be held without a time", []computer.Action{{Action: computer.HoldKey, Text: "a"}}, arc.InvalidArguments, "needs duration"},
		{"a negative scroll", []computer.Action{{Action: computer.Scroll, ScrollDirection: "down", ScrollAmount: -5}}, arc.InvalidArguments, "other direction"},
		{"a scroll to nowhere", []computer.Action{{Action: computer.Scroll, ScrollAmount: 5}}, arc.InvalidArguments, "direction"},
		{"a negative wait", []computer.Action{{Action: computer.Wait, Duration: -1}}, arc.InvalidArguments, "more than 0"},
		{"no area", []computer.Action{{Action: computer.Zoom, Region: []int{5, 5, 5, 9}}}, arc.InvalidArguments, "no area"},
		{"an escape sequence's byte is a key, but NUL is none", []computer.Action{{Action: computer.Type, Text: "a\x1b\x00"}}, computer.UntypableText, "U+0000"},
		{"half a character", []computer.Action{{Action: computer.Type, Text: "a\xc3"}}, computer.UntypableText, "U+FFFD"},
		{"a novel", []computer.Action{{Action: computer.Type, Text: strings.Repeat("é", 10_001)}}, arc.InvalidArguments, "10001"},
		{"no such action", []computer.Action{{Action: "tap"}}, arc.InvalidArguments, "tap"},
		{"an hour", slices.Repeat([]computer.Action{{Action: computer.Wait, Duration: 100}}, 4), arc.InvalidArguments, "5m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
				d.must(shot)
				r, err := d.do(c.actions...)
				if !errors.Is(err, c.code) || !strings.Contains(err.Error(), c.says) || r != nil {
					t.Errorf("%+v, %v", r, err)
				}
				d.sent()
			})
		})
	}
}

func TestABatch(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		r := d.must(shot, click(5, 5), computer.Action{Action: computer.Type, Text: "a"}, shot)
		if r.Executed != 4 || r.Skipped != 0 || r.Frame.ID != 1 {
			t.Errorf("it answers %+v, frame %+v", r, r.Frame)
		}
		d.sent("move 5,5", "left down", "left up", `type "a"`)
		r = d.must(click(6, 6), computer.Action{Action: computer.Zoom, Region: []int{0, 0, 30, 20}}, click(7, 7), shot)
		if r.Executed != 2 || r.Skipped != 2 || r.Frame.Kind != "zoom" {
			t.Errorf("a zoom ends the call: %+v", r)
		}
		d.sent("move 6,6", "left down", "left up")

		// A zoomed frame ends with the screenshot in the same call.
		d.must(shot, click(7, 7))
		d.sent("move 7,7", "left down", "left up")
	})
}

func TestLimitsAreLoweredAndTold(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), nil, func(t *testing.T, d desk) {
		r := d.must(computer.Action{Action: computer.Scroll, ScrollDirection: "up", ScrollAmount: 500})
		if n := len(d.fake.Events()); n != 50 || r.Limit != 50 {
			t.Errorf("%d notches, limit %v", n, r.Limit)
		}
		begin := time.Now()
		r = d.must(computer.Action{Action: computer.Wait, Duration: 500})
		if took := time.Since(begin); took < 100*time.Second || took > 105*time.Second || r.Limit != 100 {
			t.Errorf("it waits %v, limit %v", took, r.Limit)
		}
		r = d.must(computer.Action{Action: computer.Screenshot, Duration: 3, ScrollAmount: 1})
		if !slices.Equal(r.Notes, []string{"ignored_scroll_direction", "ignored_duration"}) {
			t.Errorf("notes are %v", r.Notes)
		}
	})
}

// A game that looks at the keyboard 60 times a second misses what is shorter.
func TestKeysAndButtonsAreDownForATime(t *testing.T) {
	t.Parallel()
	f := computertest.New(300, 200)
	down := map[string]time.Time{}
	f.OnEvent = func(e string) error {
		name, way, _ := strings.Cut(e, " ")
		switch least := map[string]time.Duration{"a": 12, "left": 15}[name] * time.Millisecond; {
		case way == "down":
			down[name] = time.Now()
		case way == "up" && time.Since(down[name]) < least:
			t.Errorf("%s is down for %v", name, time.Since(down[name]))
		}
		return nil
	}
	on(t, f, nil, func(t *testing.T, d desk) {
		d.must(computer.Action{Action: computer.PressKey, Text: "a a"}, computer.Action{Action: computer.LeftClick})
		d.sent("a down", "a up", "a down", "a up", "left down", "left up")
	})
}

// The second click of two that come too close is missed, and so is a double click
// whose clicks are too far from each other.
func TestTheClicksOfADoubleClickAreApart(t *testing.T) {
	t.Parallel()
	f := computertest.New(300, 200)
	var at []time.Time
	f.OnEvent = func(e string) error {
		if strings.HasPrefix(e, "left down") {
			at = append(at, time.Now())
		}
		return nil
	}
	on(t, f, nil, func(t *testing.T, d desk) {
		d.must(computer.Action{Action: computer.TripleClick})
		if len(at) != 3 || at[1].Sub(at[0]) != 75*time.Millisecond || at[2].Sub(at[1]) != 75*time.Millisecond {
			t.Errorf("the clicks are at %v", at)
		}
	})
}
