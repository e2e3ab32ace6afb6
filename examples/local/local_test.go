package local_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/tools"
)

func TestMain(m *testing.M) {
	if as := os.Getenv(actAs); as != "" {
		os.Exit(perform(as))
	}
	goleak.VerifyTestMain(m)
}

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "project-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	host, err := local.Open(dir, &local.Options{State: dir + ".state"})
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir + ".state")
	defer host.Close(ctx)
	set, err := host.Set(nil)
	if err != nil {
		log.Fatal(err)
	}

	session := set.Session(host.Turn(arc.Origin{}))
	r := session.Call(ctx, arc.Call{Name: "workspace_write", Args: json.RawMessage(`{"path":"hello.txt","content":"Hello\n"}`)})
	fmt.Println(r.Touched[0].Kind, r.Touched[0].Path, r.Touched[0].Undoable)

	r = session.Call(ctx, arc.Call{Name: "shell_exec", Args: json.RawMessage(`{"command":"ls"}`)})
	fmt.Println(r)
	// Output:
	// changed hello.txt true
	// {"error":{"code":"unavailable","message":"shell_exec is not available here: it needs Full Access and this room is Safe; the operator can change that.","reason":"access"}}
}

// open opens a host on a project of its own.
func open(t *testing.T, o local.Options) (*local.Host, string) {
	t.Helper()
	dir := t.TempDir()
	if o.State == "" {
		o.State = t.TempDir()
	}
	host, err := local.Open(dir, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return host, dir
}

func session(t *testing.T, host *local.Host, o *tools.Options) *tools.Session {
	t.Helper()
	set, err := host.Set(o)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(host.Turn(arc.Origin{}))
}

func TestOptions(t *testing.T) {
	t.Parallel()
	names := func(defs []arc.Definition) (list []string) {
		for _, d := range defs {
			list = append(list, d.Name)
		}
		return list
	}
	t.Run("Safe has files, Full Access the shell as well, planning nothing that changes", func(t *testing.T) {
		t.Parallel()
		for _, tt := range []struct {
			o                local.Options
			listed, withheld []string
		}{
			{local.Options{}, []string{"workspace_read", "workspace_write", "tool_search"}, []string{"shell_exec"}},
			{local.Options{Access: arc.FullAccess}, []string{"workspace_write", "shell_exec"}, nil},
			{local.Options{Access: arc.FullAccess, Mode: arc.Planning}, []string{"workspace_read"}, []string{"workspace_write", "workspace_edit", "shell_exec"}},
		} {
			host, _ := open(t, tt.o)
			s := session(t, host, nil)
			got := names(append(s.List(), s.Deferred()...))
			for _, n := range tt.listed {
				if !slices.Contains(got, n) {
					t.Errorf("%+v: %s is missing in %v", tt.o, n, got)
				}
			}
			for _, n := range tt.withheld {
				if slices.Contains(got, n) {
					t.Errorf("%+v: %s is offered", tt.o, n)
				}
			}
		}
	})
	t.Run("a host's own tools come after ours", func(t *testing.T) {
		t.Parallel()
		clock := tools.Func(arc.Definition{Name: "clock", Description: "Tell the time."}, func(context.Context, struct{}) (string, error) { return "noon", nil })
		host, _ := open(t, local.Options{Providers: []arc.Provider{tools.Of(clock)}})
		list := names(session(t, host, nil).List())
		if i := slices.Index(list, "clock"); i < slices.Index(list, "workspace_edit") {
			t.Errorf("the list is %v", list)
		}
		if n := len(host.Providers()); n != 5 {
			t.Errorf("there are %d providers, want 5", n)
		}
	})
	t.Run("each turn without an id gets one of its own", func(t *testing.T) {
		t.Parallel()
		host, _ := open(t, local.Options{})
		a, b, named := host.Turn(arc.Origin{}), host.Turn(arc.Origin{}), host.Turn(arc.Origin{Turn: "turn_x"})
		if !strings.HasPrefix(string(a.Origin.Turn), "turn_") || a.Origin.Turn == b.Origin.Turn || named.Origin.Turn != "turn_x" {
			t.Errorf("the turns are %q, %q and %q", a.Origin.Turn, b.Origin.Turn, named.Origin.Turn)
		}
	})
	t.Run("a folder that is not there is an error", func(t *testing.T) {
		t.Parallel()
		if _, err := local.Open(filepath.Join(t.TempDir(), "none"), &local.Options{State: t.TempDir()}); err == nil {
			t.Error("it opens")
		}
	})
}

func TestFlags(t *testing.T) {
	t.Parallel()
	parse := func(args ...string) (local.Options, error) {
		var o local.Options
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		o.AddFlags(fs)
		return o, fs.Parse(args)
	}
	o, err := parse("-state", "s", "-access", "full", "-mode", "planning", "-compact", "-env", "A=1", "-env", "all")
	if err != nil || o.State != "s" || o.Access != arc.FullAccess || o.Mode != arc.Planning || !o.Compact || !slices.Equal(o.Env, []string{"A=1", "all"}) {
		t.Errorf("got %+v, %v", o, err)
	}
	if o, err = parse("-access", "safe", "-mode", "ordinary"); err != nil || o.Access != arc.Safe || o.Mode != arc.Ordinary {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err = parse("-mode", "dreaming"); err == nil || !strings.Contains(err.Error(), "it is ordinary or planning") {
		t.Errorf("got %v", err)
	}
}

func TestABackgroundJobTellsItsEndWithTheNextResult(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	host, _ := open(t, local.Options{Access: arc.FullAccess})
	var seen []string // by the screen's middleware, which is outside
	s := session(t, host, &tools.Options{Middleware: []tools.Middleware{func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, c arc.Call) *arc.Result {
			r := next(ctx, c)
			seen = append(seen, r.Notices...)
			return r
		}
	}}})
	r := s.Call(t.Context(), arc.Call{Name: "shell_exec", Args: json.RawMessage(`{"command":"sleep 0.5; echo over","block_budget_sec":0.05}`)})
	if r.Err != nil || !strings.Contains(r.String(), `"status":"running"`) {
		t.Fatal(r)
	}
	for range 600 {
		r = s.Call(t.Context(), arc.Call{Name: "workspace_history"})
		if len(r.Notices) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(seen) != 1 || !strings.HasPrefix(seen[0], "[shell-job] job_") || !strings.Contains(r.String(), `"notices":["[shell-job] job_`) {
		t.Fatalf("the notices are %q, the last result is %s", seen, r)
	}
	if r = s.Call(t.Context(), arc.Call{Name: "workspace_history"}); len(r.Notices) != 0 {
		t.Errorf("it is told again: %q", r.Notices)
	}
}
