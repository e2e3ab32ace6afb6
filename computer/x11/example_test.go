package x11_test

import (
	"context"
	"fmt"
	"log"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/x11"
)

// A display of one's own: nobody's windows are in the way, and none is needed.
func ExampleStartVirtual() {
	ctx := context.Background()
	display, err := x11.StartVirtual(ctx, 1280, 800)
	if err != nil {
		log.Print(err) // no Xvfb here
		return
	}
	defer display.Close()
	desktop, err := display.Open(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	pc, err := computer.Open(ctx, desktop, nil)
	if err != nil {
		log.Print(err)
		return
	}
	defer pc.Close(ctx)
	r, err := pc.Do(ctx, arc.Origin{}, arc.Env{}, computer.Args{Actions: []computer.Action{{Action: computer.Screenshot}}})
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(r.Image.MIME, r.Frame.Width, r.Frame.Height)
}
