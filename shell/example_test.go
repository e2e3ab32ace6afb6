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

// project makes a directory that stands for a project and its state.
func project() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func Example() {
	dir, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
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
	dir, remove := project()
	defer remove()
	ctx := context.Background()
	ended := make(chan shell.Notice, 1)
	sh, err := shell.Open(dir, &shell.Options{
		State:  filepath.Join(dir, "state"),
		Notify: func(n shell.Notice) { ended <- n },
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
	dir, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
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
	dir, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{State: filepath.Join(dir, "state")})
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
