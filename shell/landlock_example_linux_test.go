package shell_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

func ExampleNewLandlock() {
	dir, state, remove := project()
	defer remove()
	ctx := context.Background()
	runner, err := shell.NewLandlock(ctx, dir, &shell.LandlockOptions{Write: []string{state + "/cache"}})
	if err != nil {
		log.Fatal(err) // sandbox_unavailable: no command runs unconfined
	}
	defer runner.Close()
	sh, err := shell.Open(dir, &shell.Options{State: state, Runner: runner})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close(ctx)
	res, err := sh.Exec(ctx, arc.Origin{}, shell.ExecArgs{Command: "echo x >inside && ! touch " + os.TempDir() + "/outside 2>/dev/null && ls"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(res.Output)
	// On a kernel of 6.12 or newer it prints: inside
}
