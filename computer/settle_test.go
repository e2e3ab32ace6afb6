package computer_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"slices"
	"testing"
	"time"

	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

// A tool that says ok to a click that did nothing sends a model on the wrong way.
func TestTheResultSaysWhatHasChanged(t *testing.T) {
	t.Parallel()
	f := computertest.New(2560, 1600)
	on(t, f, &computer.Options{FirstChange: 60 * time.Millisecond, Quiet: 40 * time.Millisecond}, func(t *testing.T, d desk) {
		d.must(shot)
		r := d.must(click(5, 5))
		if r.Changed == nil || r.Changed.Percent != 0 || r.Changed.Region != nil || r.Restless {
			t.Errorf("nothing changed and it says %+v", r.Changed)
		}
		f.OnEvent = func(e string) error {
			if e == "left up" {
				time.AfterFunc(20*time.Millisecond, func() { f.Change(image.Rect(200, 100, 456, 260)) })
			}
			return nil
		}
		r = d.must(click(5, 5))
		if r.Changed == nil || r.Changed.Percent != 1 || *r.Changed.Region != [4]int{100, 50, 228, 130} {
			t.Errorf("it says %+v", r.Changed)
		}
		if r.NativeChange.Rect != image.Rect(200, 100, 456, 260) {
			t.Errorf("natively it is %v", r.NativeChange.Rect)
		}
	})
}

// A screenshot that shows the state before the action makes a model do it again.
func TestTheScreenshotWaitsForTheEffect(t *testing.T) {
	t.Parallel()
	part := image.Rect(0, 0, 100, 100)
	for _, c := range []struct {
		name     string
		at       []time.Duration // changes after the click
		min, max time.Duration
		stable   bool
		changed  bool
	}{
		{"nothing happens", nil, 400, 430, true, false},
		{"it happens at once", []time.Duration{3}, 120, 160, true, true},
		{"a slow menu", []time.Duration{350}, 470, 510, true, true},
		{"a slow menu that unfolds", []time.Duration{350, 400, 450}, 570, 610, true, true},
		{"an animation without an end", slices.Collect(func(yield func(time.Duration) bool) {
			for i := time.Duration(10); i < 5000 && yield(i); i += 50 {
			}
		}), 2000, 2040, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := computertest.New(200, 150)
			on(t, f, nil, func(t *testing.T, d desk) {
				d.must(shot)
				var clicked time.Time
				var timers []*time.Timer
				f.OnEvent = func(e string) error {
					if e == "left up" {
						clicked = time.Now()
						for _, at := range c.at {
							timers = append(timers, time.AfterFunc(at*time.Millisecond, func() { f.Change(part) }))
						}
					}
					return nil
				}
				r := d.must(click(5, 5))
				took := time.Since(clicked)
				for _, timer := range timers {
					timer.Stop()
				}
				if took < c.min*time.Millisecond || took > c.max*time.Millisecond || r.Restless == c.stable || (r.Changed.Percent > 0) != c.changed {
					t.Errorf("after %v: restless %v, changed %+v", took, r.Restless, r.Changed)
				}
				// The picture is of the last change.
				m, err := png.Decode(bytes.NewReader(r.Image.Data))
				if err != nil {
					t.Fatal(err)
				}
				if _, _, blue, _ := m.At(50, 50).RGBA(); c.changed == (blue>>8 == 50) {
					t.Errorf("blue is %d in the picture", blue>>8)
				}
			})
		})
	}
}

func TestNoWaitingWhereTheHostWantsNone(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(300, 200), &computer.Options{FirstChange: -1}, func(t *testing.T, d desk) {
		d.must(shot)
		begin := time.Now()
		r := d.must(click(5, 5))
		if took := time.Since(begin); took != 25*time.Millisecond || r.Changed == nil {
			t.Errorf("it takes %v, changed %v", took, r.Changed)
		}
	})
}

func TestAScreenThatShrinksWhileAPictureIsTaken(t *testing.T) {
	t.Parallel()
	f := computertest.New(400, 300)
	on(t, f, nil, func(t *testing.T, d desk) {
		d.must(shot)
		f.OnEvent = func(string) error { f.Resize(200, 100); return nil }
		r := d.must(click(5, 5))
		if r.Frame.Width != 200 || r.Changed.Percent != 100 {
			t.Errorf("frame %+v, changed %+v", r.Frame, r.Changed)
		}
	})
}

// A pointer that is not in the picture leaves a model guessing whether it hovers.
func TestThePointerIsInThePicture(t *testing.T) {
	t.Parallel()
	f := computertest.New(300, 200)
	f.CursorSize = 4
	at := func(r *computer.Result) bool {
		m, err := png.Decode(bytes.NewReader(r.Image.Data))
		if err != nil {
			t.Fatal(err)
		}
		red, green, blue, _ := m.At(52, 62).RGBA()
		return red&green&blue == 0xffff
	}
	move := computer.Action{Action: computer.MouseMove, Coordinate: []int{50, 60}}
	on(t, f, nil, func(t *testing.T, d desk) {
		d.must(shot)
		if r := d.must(move); !at(r) || r.Changed.Percent != 0 {
			t.Errorf("it is not there, or counts as a change: %+v", r.Changed)
		}
	})
	f = computertest.New(300, 200)
	f.CursorSize = 4
	on(t, f, &computer.Options{HidePointer: true}, func(t *testing.T, d desk) {
		d.must(shot)
		if r := d.must(move); at(r) {
			t.Error("it is there though it is to be hidden")
		}
	})
}

// A locked screen, or one that belongs to another user now, has no picture.
func TestAPictureThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	f := computertest.New(300, 200)
	on(t, f, nil, func(t *testing.T, d desk) {
		d.must(shot)
		locked := errors.New("the session is locked")
		f.Blind(locked)
		if r, err := d.do(shot); !errors.Is(err, computer.Backend) || !errors.Is(err, locked) || r == nil || r.Image != nil {
			t.Errorf("%+v, %v", r, err)
		}
		f.OnEvent = func(string) error { f.Blind(locked); return nil }
		f.Blind(nil)
		r, err := d.do(click(5, 5))
		if !errors.Is(err, computer.Backend) || r == nil || r.Executed != 1 || r.Image != nil {
			t.Errorf("after a click: %+v, %v", r, err)
		}
		f.OnEvent = nil
		f.Blind(nil)
		d.must(shot)
	})
}
