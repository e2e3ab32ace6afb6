package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(childVariable); ok {
		if err := runChild(args); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

var ctx = context.Background()

// by is the origin of a test's own changes.
var by = arc.Origin{Run: "run", Seat: "seat", Turn: "turn_1", Call: "call_1"}

// A project is a folder with a workspace open on it.
type project struct {
	*Workspace
	t          testing.TB
	dir, state string
}

func newProject(t testing.TB, files map[string]string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir(), state: t.TempDir()}
	for name, content := range files {
		p.put(name, content)
	}
	p.open(nil)
	return p
}

// open opens the workspace (again).
func (p *project) open(o *Options) {
	p.t.Helper()
	if p.Workspace != nil {
		p.Close()
	}
	if o == nil {
		o = &Options{}
	}
	o.State = p.state
	ws := &Workspace{}
	if err := ws.start(p.dir, o, func(d folder) folder { return calmFolder{d} }); err != nil {
		ws.Close()
		p.t.Fatal(err)
	}
	p.Workspace = ws
	p.t.Cleanup(func() { ws.Close() })
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) put(name, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) get(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p *project) exists(name string) bool {
	_, err := os.Lstat(p.path(name))
	return err == nil
}

func (p *project) hash(name string) string { return string(hashOf([]byte(p.get(name)))) }

func (p *project) edit(name, old, new string) *EditResult {
	p.t.Helper()
	r, err := p.Edit(ctx, by, EditArgs{Path: name, OldString: old, NewString: new, ExpectedSHA256: p.hash(name)})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *project) create(name, content string) *WriteResult {
	p.t.Helper()
	r, err := p.Write(ctx, by, WriteArgs{Path: name, Content: content})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *project) undo(id string) *UndoResult {
	p.t.Helper()
	r, err := p.Undo(ctx, by, UndoArgs{id})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// noLeftovers fails if a temporary file is left in the project.
func (p *project) noLeftovers() {
	p.t.Helper()
	filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".arc-") {
			p.t.Errorf("left behind: %s", path)
		}
		return nil
	})
}

// wantCode fails unless err is an *arc.Error with the code, and returns it.
func wantCode(t testing.TB, err error, code arc.Code) *arc.Error {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error is %v, want %s", err, code)
	}
	if e.Message == "" || strings.Contains(e.Message, os.TempDir()) {
		t.Errorf("message %q is empty or has a host path", e.Message)
	}
	return e
}
