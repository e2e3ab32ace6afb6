package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/workspace"
)

// scratch is a project with one file, and a state directory.
func scratch() (dir string, o *workspace.Options, remove func()) {
	top, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	dir = filepath.Join(top, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("helo\r\nworld\r\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	return dir, &workspace.Options{State: filepath.Join(top, "state")}, func() { os.RemoveAll(top) }
}

func Example() {
	dir, options, remove := scratch()
	defer remove()
	ctx := context.Background()
	ws, err := workspace.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	by := arc.Origin{Seat: "seat_1", Turn: "turn_1"} // the journal records who asked

	read, err := ws.Read(ctx, workspace.ReadArgs{Path: "hello.txt"})
	if err != nil {
		log.Fatal(err)
	}
	edit, err := ws.Edit(ctx, by, workspace.EditArgs{
		Path: "hello.txt", OldString: "helo", NewString: "hello", ExpectedSHA256: string(read.SHA256),
	})
	if err != nil {
		log.Fatal(err)
	}
	show := func() {
		b, _ := os.ReadFile(filepath.Join(dir, "hello.txt"))
		fmt.Printf("%q\n", b)
	}
	show()

	undo, err := ws.Undo(ctx, by, workspace.UndoArgs{ChangeID: edit.ChangeID})
	if err != nil {
		log.Fatal(err)
	}
	show()
	if _, err := ws.Undo(ctx, by, workspace.UndoArgs{ChangeID: undo.ChangeID}); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// "hello\r\nworld\r\n"
	// "helo\r\nworld\r\n"
	// "hello\r\nworld\r\n"
}

func ExampleWorkspace_Read() {
	dir, options, remove := scratch()
	defer remove()
	ws, err := workspace.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()

	r, err := ws.Read(context.Background(), workspace.ReadArgs{Path: "hello.txt", StartLine: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("line %d of %d, %s: %s", r.StartLine, r.TotalLines, r.EOL, r.Text)
	// Output: line 2 of 2, crlf: world
}

func ExampleWorkspace_List() {
	dir, options, remove := scratch()
	defer remove()
	ctx := context.Background()
	ws, err := workspace.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	for _, name := range []string{"cmd/run.go", "cmd/run_test.go"} {
		if _, err := ws.Write(ctx, arc.Origin{}, workspace.WriteArgs{Path: name, Content: "package main\n"}); err != nil {
			log.Fatal(err)
		}
	}

	r, err := ws.List(ctx, workspace.ListArgs{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text)
	// Output:
	// cmd/
	//  run.go
	//  run_test.go
	// hello.txt
}

func ExampleWorkspace_Search() {
	dir, options, remove := scratch()
	defer remove()
	ctx := context.Background()
	ws, err := workspace.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	if _, err := ws.Write(ctx, arc.Origin{}, workspace.WriteArgs{Path: "main.go", Content: "package main\n\nfunc main() {\n\tMain()\n}\n"}); err != nil {
		log.Fatal(err)
	}

	a := workspace.SearchArgs{Query: "main()", Limit: 1}
	for {
		r, err := ws.Search(ctx, a)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Text)
		if r.Next == nil {
			break
		}
		a.After = r.NextAfter
	}
	// Output:
	// main.go
	// 3: func main() {
	// main.go
	// 4: 	Main()
}

func ExampleWorkspace_Write() {
	dir, options, remove := scratch()
	defer remove()
	ctx := context.Background()
	ws, err := workspace.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()

	_, err = ws.Write(ctx, arc.Origin{}, workspace.WriteArgs{Path: "hello.txt", Content: "mine\n"})
	fmt.Println(errors.Is(err, workspace.ExpectedSHA256Required))
	r, err := ws.Write(ctx, arc.Origin{}, workspace.WriteArgs{Path: "docs/new.txt", Content: "new\n"})
	fmt.Println(r.Op, r.Path, r.Lines, err)
	// Output:
	// true
	// create docs/new.txt 1 <nil>
}

func ExampleWorkspace_History() {
	dir, options, remove := scratch()
	defer remove()
	ctx := context.Background()
	ws, err := workspace.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	r, err := ws.Write(ctx, arc.Origin{}, workspace.WriteArgs{Path: "new.txt", Content: "one\ntwo\n"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := ws.Undo(ctx, arc.Origin{}, workspace.UndoArgs{ChangeID: r.ChangeID}); err != nil {
		log.Fatal(err)
	}

	h, err := ws.History(ctx, workspace.HistoryArgs{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range h.Changes {
		fmt.Println(c.Op, c.Path, c.Status)
	}
	// Output:
	// remove new.txt applied
	// create new.txt undone
}
