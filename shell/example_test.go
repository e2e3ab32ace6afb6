//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/tools"
)

// project makes a directory for a project, and one beside it for its state.
func project() (dir, state string, remove func()) {
	base, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	dir, state = filepath.Join(base, "project"), filepath.Join(base, "state")
	if err := os.Mkdir(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	return dir, state, func() { os.RemoveAll(base) }
}

func Example() {
	dir, state, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{State: state})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close(ctx)

	res, err := sh.Exec(ctx, arc.Origin{Seat: "writer"}, shell.ExecArgs{Command: "echo out; echo err >&2; exit 3"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %d %q\n", res.Status, *res.ExitCode, res.Output)
	// Output: failed 3 "out\nerr\n"
}

// A command that takes longer than its block budget becomes a job; a notice says
// when it has ended.
func ExampleOptions_notify() {
	dir, state, remove := project()
	defer remove()
	ctx := context.Background()
	ended := make(chan shell.Notice, 1)
	sh, err := shell.Open(dir, &shell.Options{
		State:  state,
		Notify: func(n shell.Notice) error { ended <- n; return nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close(ctx)

	res, err := sh.Exec(ctx, arc.Origin{Seat: "writer"}, shell.ExecArgs{
		Command: "sleep 0.5; echo built", BlockBudgetSec: new(0.05),
	})
	if err != nil {
		log.Fatal(err)
	}
	n := <-ended
	fmt.Println(res.Status, n.JobID == res.JobID, n.Status)
	// Output: running true completed
}

// A job's whole output is read page by page.
func ExampleShell_Output() {
	dir, state, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{State: state})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close(ctx)

	res, err := sh.Exec(ctx, arc.Origin{Seat: "writer"}, shell.ExecArgs{Command: "printf 'zwölf Bücher'"})
	if err != nil {
		log.Fatal(err)
	}
	for offset := int64(0); ; {
		p, err := sh.Output(ctx, "writer", shell.OutputArgs{SpoolID: res.SpoolID, Offset: offset, MaxBytes: new(9)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %q\n", p.Bytes, p.Output)
		if offset += p.Bytes; p.EOF {
			break
		}
	}
	// Output:
	// 8 "zwölf B"
	// 6 "ücher"
}

// The shell is a provider of tools.
func ExampleShell_Tools() {
	dir, state, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{State: state})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close(ctx)
	set, err := tools.NewSet([]arc.Provider{sh}, nil)
	if err != nil {
		log.Fatal(err)
	}
	turn := set.Session(arc.Turn{Env: arc.Env{Access: arc.FullAccess, Project: true}})
	res := turn.Call(ctx, arc.Call{Name: "shell_exec", Args: []byte(`{"command": "echo hello"}`)})
	fmt.Print(res.Body)
	// Output: hello
}
