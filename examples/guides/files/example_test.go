//go:build unix

package files

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/workspace"
)

// A model reads a file, edits what it has read, runs the check, and takes the edit back.
func Example() {
	ctx := context.Background()
	base, err := os.MkdirTemp("", "files")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(base)
	dir, state := filepath.Join(base, "project"), filepath.Join(base, "state")
	if err := os.Mkdir(dir, 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("helo\n"), 0o644); err != nil {
		panic(err)
	}

	ws, err := workspace.Open(dir, &workspace.Options{State: state})
	if err != nil {
		panic(err)
	}
	defer ws.Close()
	sh, err := shell.Open(dir, &shell.Options{State: state})
	if err != nil {
		panic(err)
	}
	defer sh.Close(ctx)
	set, err := tools.NewSet([]arc.Provider{ws, sh}, nil)
	if err != nil {
		panic(err)
	}
	turn := arc.Turn{Env: arc.Env{Access: arc.FullAccess, Project: true}, Origin: arc.Origin{Seat: "writer", Turn: "turn_1"}}
	session := set.Session(turn)
	call := func(name string, args any) *arc.Result {
		raw, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		return session.Call(ctx, arc.Call{Name: name, Args: raw})
	}

	read, err := ws.Read(ctx, workspace.ReadArgs{Path: "greeting.txt"}) // from Go, to have the hash in hand
	if err != nil {
		panic(err)
	}
	edit := map[string]any{"path": "greeting.txt", "old_string": "helo", "new_string": "hello"}
	fmt.Println("without the hash:", call("workspace_edit", edit).Err.Code)
	edit["expected_sha256"] = read.SHA256
	edited := call("workspace_edit", edit)
	fmt.Println("with it:", edited.Err == nil)

	fmt.Print(call("shell_exec", map[string]any{"command": "grep -c hello greeting.txt"}).Body)

	undone := call("workspace_undo", map[string]any{"change_id": edited.Data.(*workspace.EditResult).ChangeID})
	content, err := os.ReadFile(filepath.Join(dir, "greeting.txt"))
	fmt.Println("undone:", undone.Err == nil, string(content), err)
	// Output:
	// without the hash: expected_sha256_required
	// with it: true
	// 1
	// undone: true helo
	//  <nil>
}
