package computer_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

func Example() {
	ctx := context.Background()
	desktop := computertest.New(2560, 1600) // or x11.Open(ctx, nil)
	pc, err := computer.Open(ctx, desktop, &computer.Options{FirstChange: -1})
	if err != nil {
		log.Fatal(err)
	}
	defer pc.Close(ctx)
	by := arc.Origin{Seat: "seat_1", Turn: "turn_1"}
	env := arc.Env{Access: arc.FullAccess, Model: arc.Model{Vision: true}}
	if env.Desktop, err = pc.Desktop(ctx, env.Model); err != nil {
		log.Fatal(err)
	}
	do := func(a computer.Action) *computer.Result {
		r, err := pc.Do(ctx, by, env, computer.Args{Actions: []computer.Action{a}})
		if err != nil {
			log.Fatal(err)
		}
		return r
	}

	shot := do(computer.Action{Action: computer.Screenshot})
	fmt.Printf("%s of %d×%d\n", shot.Image.MIME, shot.Frame.Width, shot.Frame.Height)
	do(computer.Action{Action: computer.Zoom, Region: []int{600, 400, 700, 460}})
	do(computer.Action{Action: computer.LeftClick, Coordinate: []int{80, 80}}) // in the zoomed picture
	fmt.Println(desktop.Events())
	// Output:
	// image/png of 1280×800
	// [move 1212,812 left down left up]
}

// A guard keeps a model out of what is the operator's.
func ExampleOptions_guard() {
	ctx := context.Background()
	desktop := computertest.New(800, 600)
	pc, err := computer.Open(ctx, desktop, &computer.Options{
		Guard: func(_ context.Context, a computer.Action, _ *image.Point) error {
			if a.Action == computer.PressKey && a.Text == "ctrl+alt+Delete" {
				return errors.New("the session is not the model's to end")
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer pc.Close(ctx)
	_, err = pc.Do(ctx, arc.Origin{}, arc.Env{}, computer.Args{Actions: []computer.Action{
		{Action: computer.PressKey, Text: "ctrl+alt+Delete"},
	}})
	fmt.Println(err)
	fmt.Println(desktop.Events())
	// Output:
	// forbidden: this host does not allow that action; find another way or ask the operator.
	// []
}
