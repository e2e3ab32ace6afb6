package computer_test

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

// private is a desktop whose system may take a permission away.
type private struct {
	*computertest.Fake
	missing error
}

func (p *private) Check(context.Context) error { return p.missing }

// Without the permission to record the screen a Mac hands out its wallpaper, and a
// model works on that.
func TestADesktopThatMayNotBeSeen(t *testing.T) {
	t.Parallel()
	p := &private{Fake: computertest.New(300, 200)}
	pc, err := computer.Open(t.Context(), p, &computer.Options{FirstChange: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close(context.Background())
	do := func(a computer.Action) (*computer.Result, error) {
		return pc.Do(t.Context(), arc.Origin{Seat: "me"}, arc.Env{}, computer.Args{Actions: []computer.Action{a}})
	}
	if _, err := do(shot); err != nil {
		t.Fatal(err)
	}
	p.missing = &arc.Error{Code: computer.PermissionMissing, Message: "ask the operator.", Detail: map[string]string{"permission": "screen_recording"}}
	p.Forget()
	for _, a := range []computer.Action{shot, click(5, 5)} {
		if r, err := do(a); !errors.Is(err, computer.PermissionMissing) || r != nil {
			t.Errorf("%s answers %+v, %v", a.Action, r, err)
		}
	}
	if e := p.Events(); len(e) != 0 {
		t.Errorf("it was sent %v", e)
	}
	p.missing = nil
	if _, err := do(click(5, 5)); err != nil {
		t.Errorf("once it is allowed again: %v", err)
	}
}
