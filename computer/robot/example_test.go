package robot_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/robot"
	"github.com/arcseat/arc/computer/x11"
)

// A host that was built without robotgo goes on with x11, and without a display with
// neither.
func Example() {
	ctx := context.Background()
	var d computer.Desktop
	d, err := robot.Open(ctx, nil)
	if errors.Is(err, arc.Unavailable) {
		d, err = x11.Open(ctx, nil)
	}
	if err != nil {
		fmt.Println("no desktop:", err)
		return
	}
	pc, err := computer.Open(ctx, d, nil) // closes d with it
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pc.Close(ctx)
}
