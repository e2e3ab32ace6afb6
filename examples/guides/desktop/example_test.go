package desktop

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/tools"
)

// A model looks, zooms, and clicks in the zoomed picture. Then the screen changes its
// size, and the coordinate that it remembers is refused, with the picture of now.
func Example() {
	ctx := context.Background()
	screen := computertest.New(2560, 1600) // in life: x11.StartVirtual, x11.Open or robot.Open
	pc, err := computer.Open(ctx, screen, &computer.Options{FirstChange: -1})
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
	env := arc.Env{Access: arc.FullAccess, Model: arc.Model{Vision: true, MaxEdge: 1280}}
	if env.Desktop, err = pc.Desktop(ctx, env.Model); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the model is told %d×%d\n", env.Desktop.Width, env.Desktop.Height)

	session := set.Session(arc.Turn{Env: env})
	do := func(action string) *arc.Result {
		return session.Call(ctx, arc.Call{Name: "computer", Args: []byte(`{"actions":[` + action + `]}`)})
	}
	do(`{"action":"screenshot"}`)
	do(`{"action":"zoom","region":[600,400,700,460]}`)
	do(`{"action":"left_click","coordinate":[80,80]}`)
	fmt.Println(screen.Events())

	screen.Resize(1024, 768)
	r := do(`{"action":"left_click","coordinate":[80,80]}`)
	fmt.Println(r.Err.Code, len(r.Images), "picture")
	// Output:
	// the model is told 1280×800
	// [move 1212,812 left down left up]
	// stale_frame 1 picture
}
