package cookbook

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/tools"
)

// The desktop tool in your tests, on a desktop that is none: what was sent to it is
// written down, and a test can change its screen, its size and its temper.
func Example_desktop() {
	ctx := context.Background()
	desktop := computertest.New(1280, 800)
	pc, err := computer.Open(ctx, desktop, &computer.Options{FirstChange: -1}) // this screen does not change by itself
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pc.Close(ctx)
	set, err := tools.NewSet([]arc.Provider{pc}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	env := arc.Env{Access: arc.FullAccess, Model: arc.Model{Vision: true}}
	if env.Desktop, err = pc.Desktop(ctx, env.Model); err != nil {
		fmt.Println(err)
		return
	}
	session := set.Session(arc.Turn{Env: env})
	for _, args := range []string{
		`{"actions":[{"action":"screenshot"}]}`,
		`{"actions":[{"action":"left_click","coordinate":[640,400]}]}`,
		`{"actions":[{"action":"type","text":"hello"}]}`,
	} {
		r := session.Call(ctx, arc.Call{Name: "computer", Args: []byte(args)})
		fmt.Println(r.Err == nil, len(r.Images), "picture")
	}
	fmt.Println(desktop.Events())
	// Output:
	// true 1 picture
	// true 1 picture
	// true 1 picture
	// [move 640,400 left down left up type "hello"]
}
