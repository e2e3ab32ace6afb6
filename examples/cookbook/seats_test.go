package cookbook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/workspace"
)

// Several seats on one project. Each change names the version that it is based on, so
// that none overwrites what it has not read; the journal knows who changed what. Two
// processes may open the same folder in the same way.
func Example_seats() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "seats")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	os.Mkdir(project, 0o755)
	os.WriteFile(filepath.Join(project, "plan.md"), []byte("Paint the door.\n"), 0o644)
	ws, err := workspace.Open(project, &workspace.Options{State: filepath.Join(dir, "state")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	read, err := ws.Read(ctx, workspace.ReadArgs{Path: "plan.md"}) // both seats have read this
	if err != nil {
		fmt.Println(err)
		return
	}
	edit := func(seat arc.SeatID, from, to, hash string) error {
		_, err := ws.Edit(ctx, arc.Origin{Seat: seat, Turn: "turn_1"}, workspace.EditArgs{
			Path: "plan.md", OldString: from, NewString: to, ExpectedSHA256: hash,
		})
		return err
	}
	fmt.Println("painter:", edit("painter", "Paint", "Paint and varnish", string(read.SHA256)))
	err = edit("planner", "door", "gate", string(read.SHA256))
	fmt.Println("planner is stale:", errors.Is(err, arc.Stale))
	if read, err = ws.Read(ctx, workspace.ReadArgs{Path: "plan.md"}); err != nil { // as the error says
		fmt.Println(err)
		return
	}
	fmt.Println("planner:", edit("planner", "door", "gate", string(read.SHA256)))

	for _, seat := range []arc.SeatID{"painter", "planner"} {
		touched, err := ws.Touched(ctx, seat, []arc.TurnID{"turn_1"})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, t := range touched {
			fmt.Println(seat, t.Kind, t.Path, t.Undoable)
		}
	}
	// Output:
	// painter: <nil>
	// planner is stale: true
	// planner: <nil>
	// painter changed plan.md true
	// planner changed plan.md true
}
