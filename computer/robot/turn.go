//go:build cgo && (darwin || windows || (linux && robotgo && (386 || amd64 || arm || arm64 || riscv64)))

package robot

import (
	"context"
	"errors"
	"image"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/go-vgo/robotgo"
)

// answerTime is how long robotgo may take; one that is silent for so long is lost.
const answerTime = 10 * time.Second

// engine is the one variable of this package, because all of robotgo's are the
// process's too: open holds one value while a Desktop is, turn one during a call.
var engine = struct {
	open chan struct{}
	turn turn
}{make(chan struct{}, 1), make(turn, 1)}

// take makes robotgo ours until give.
func take() error {
	select {
	case engine.open <- struct{}{}:
	default:
		return &arc.Error{Code: arc.Locked, Message: "robotgo operates one desktop a process, and one is open; use that, or close it first."}
	}
	robotgo.MouseSleep, robotgo.KeySleep = 0, 0 // computer waits
	robotgo.Scale, robotgo.DisplayID = false, -1
	return nil
}

func give() { <-engine.open }

// A turn lets one call at a time into robotgo.
type turn chan struct{}

// do calls f, and gives it up when ctx ends, when it takes too long, or when gone
// says that it will not return. A call that was given up keeps the turn.
func (t turn) do(ctx context.Context, gone func() bool, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limit := time.NewTimer(answerTime)
	defer limit.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	mine, answer := t, make(chan error, 1)
	for {
		select {
		case mine <- struct{}{}:
			mine = nil
			go func() {
				err := f()
				<-t
				answer <- err
			}()
		case err := <-answer:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return lost(errors.New("no answer in time"))
		case <-look.C:
			if gone() {
				return lost(errors.New("the display has ended"))
			}
		}
	}
}

func shutDown() error {
	return &arc.Error{Code: arc.ShuttingDown, Message: "the desktop is closed; go on without it."}
}

func lost(err error) error {
	return &arc.Error{Code: computer.DisplayLost, Message: "the display has ended or does not answer; tell the operator and go on without the desktop.", Err: err}
}

// buttonNames are robotgo's. It takes a name that it does not know for left.
var buttonNames = [...]string{computer.Left: "left", computer.Middle: "center", computer.Right: "right"}

// toggle presses or releases b.
func toggle(b computer.Button, down bool) error {
	if int(b) >= len(buttonNames) || buttonNames[b] == "" {
		return unavailable("button", "there is no such button.")
	}
	way := "up"
	if down {
		way = "down"
	}
	return robotgo.Toggle(buttonNames[b], way)
}

// location is where robotgo finds the pointer.
func location() image.Point {
	x, y := robotgo.Location()
	return image.Pt(x, y)
}
