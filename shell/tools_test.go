//go:build linux

package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

var full = arc.Env{Access: arc.FullAccess, Project: true}

func session(t *testing.T, sh *shell.Shell, turn arc.Turn) *tools.Session {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{sh}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(turn)
}

func definitions(t *testing.T) map[string]arc.Definition {
	t.Helper()
	defs := map[string]arc.Definition{}
	for _, tool := range open(t, nil).Tools() {
		d := tool.Definition(full)
		defs[d.Name] = d
	}
	return defs
}

func TestTheSchemasAreTheCanonicalOnes(t *testing.T) {
	t.Parallel()
	for _, tool := range open(t, nil).Tools() {
		toolstest.Schema(t, tool)
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{PollHold: -1, Grace: 100 * time.Millisecond}})
	long := run(t, sh, shell.ExecArgs{Command: "seq 1 60000"})
	job := background(t, sh, "seq 1 30000; exec sleep 300")
	call := func(name, format string, args ...any) arc.Call {
		return arc.Call{Name: name, Args: fmt.Appendf(nil, format, args...)}
	}
	toolstest.Run(t, sh, &toolstest.Options{
		Turn: &arc.Turn{Env: full, Origin: me},
		Calls: []arc.Call{
			call("shell_exec", `{"command":"echo hi; exit 3"}`),
			call("shell_exec", `{"command":"seq 1 20000; printf '\\377%%.0s' {1..30000}"}`),
			call("shell_output", `{"spool_id":%q,"max_bytes":5000}`, long.SpoolID),
			call("shell_job", `{"job_id":%q}`, job.JobID),
			call("shell_job", `{"job_id":%q,"tail":true}`, job.JobID),
		},
	})
}

func TestWhatADescriptionMustSay(t *testing.T) {
	t.Parallel()
	defs := definitions(t)
	for name, facts := range map[string][]string{
		"shell_exec":   {"fresh shell", "no terminal", "cannot be undone", "block_budget_sec (15)", "in the background (at most 4)", "timeout_sec (120)", "shell_output", "shell_job", "Search"},
		"shell_output": {"offset + bytes", "eof", "UTF-8"},
		"shell_job":    {"[shell-job]", "wait"},
	} {
		for _, fact := range facts {
			if !strings.Contains(defs[name].Description, fact) {
				t.Errorf("%s does not say %q: %s", name, fact, defs[name].Description)
			}
		}
	}
	// A token of such text has four letters or so.
	for name, most := range map[string]int{"shell_exec": 1000, "shell_output": 640, "shell_job": 480} {
		if d := defs[name]; len(d.Name)+len(d.Description)+len(d.Schema) > most {
			t.Errorf("%s takes %d bytes of a prompt, want %d at most", name, len(d.Name)+len(d.Description)+len(d.Schema), most)
		}
	}
}

func TestWhereTheToolsAreOffered(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	for _, c := range []struct {
		name             string
		env              arc.Env
		direct, deferred []string
	}{
		{"full access and a project", full, []string{"shell_exec"}, []string{"shell_job", "shell_output"}},
		{"a safe room", arc.Env{Project: true}, nil, nil},
		{"no project", arc.Env{Access: arc.FullAccess}, nil, nil},
		{"planning", arc.Env{Access: arc.FullAccess, Project: true, Mode: arc.Planning}, nil, []string{"shell_job", "shell_output"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := session(t, sh, arc.Turn{Env: c.env, Origin: me})
			for what, want := range map[string][2][]string{
				"listed": {c.direct, namesOf(s.List())}, "deferred": {c.deferred, namesOf(s.Deferred())},
			} {
				if !slices.Equal(want[0], want[1]) {
					t.Errorf("%s: %v, want %v", what, want[1], want[0])
				}
			}
			if c.direct == nil {
				r := s.Call(t.Context(), arc.Call{Name: "shell_exec", Args: json.RawMessage(`{"command":"touch ran"}`)})
				if r.Err == nil || r.Err.Code != arc.Unavailable {
					t.Errorf("called all the same: %s", r)
				}
			}
		})
	}
}

func namesOf(defs []arc.Definition) []string {
	var found []string
	for _, d := range defs {
		if strings.HasPrefix(d.Name, "shell_") {
			found = append(found, d.Name)
		}
	}
	slices.Sort(found)
	return found
}

func TestACallAsAModelSeesIt(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var raw []byte
	sh := open(t, nil)
	s := session(t, sh, arc.Turn{Env: full, Origin: me, Progress: func(_ arc.Call, p arc.Progress) {
		mu.Lock()
		defer mu.Unlock()
		raw = append(raw, p.Output...)
	}})
	call := func(name, args string) *arc.Result {
		t.Helper()
		return s.Call(t.Context(), arc.Call{Name: name, Args: json.RawMessage(args)})
	}
	r := call("shell_exec", `{"command":"printf '\\033[1m<b>\\033[0m\\n'; exit 2","timeout_sec":"30"}`)
	d, ok := r.Data.(*shell.ExecResult)
	if !ok {
		t.Fatalf("it answers %s", r)
	}
	want := fmt.Sprintf(`{"status":"failed","exit_code":2,"duration_sec":%s,"cwd":%q,"spool_id":%q,"output_bytes":12,"cleaned":true}`+"\n<b>\n",
		strings.TrimSuffix(fmt.Sprintf("%g", d.DurationSec), ".0"), d.Cwd, d.SpoolID)
	if r.String() != want {
		t.Errorf("it reads\n%s, want\n%s", r, want)
	}
	if len(r.Touched) != 1 || r.Touched[0].Kind != "command" || r.Touched[0].ID != d.SpoolID {
		t.Errorf("touched is %+v", r.Touched)
	}
	mu.Lock()
	if string(raw) != "\x1b[1m<b>\x1b[0m\n" {
		t.Errorf("the screen got %q", raw)
	}
	mu.Unlock()
	if touched, err := sh.Touched(t.Context(), me.Seat, []arc.TurnID{me.Turn}); err != nil || len(touched) != 1 {
		t.Errorf("the turn touched %+v, %v", touched, err)
	}

	want = fmt.Sprintf(`{"spool_id":%q,"offset":0,"bytes":5,"eof":false,"total_bytes":12,"running":false,"next_call":{"tool":"shell_output","arguments":{"spool_id":%q,"offset":5,"max_bytes":5}}}`+"\n\x1b[1m<", d.SpoolID, d.SpoolID)
	if r = call("shell_output", fmt.Sprintf(`{"spool_id":%q,"max_bytes":5}`, d.SpoolID)); r.String() != want {
		t.Errorf("it reads\n%s, want\n%s", r, want)
	}
	want = `{"error":{"code":"out_of_range","message":"the output has 12 bytes; ask for an offset of at most that.","total":12}}`
	if r = call("shell_output", fmt.Sprintf(`{"spool_id":%q,"offset":13}`, d.SpoolID)); r.String() != want {
		t.Errorf("it reads\n%s, want\n%s", r, want)
	}

	r = call("shell_exec", `{"command":"echo on; exec sleep 300","block_budget_sec":1}`)
	if r.Next == nil || r.Next.Tool != "shell_job" || len(r.Touched) != 2 || r.Touched[1].Kind != "job" {
		t.Errorf("it answers %s, touched %+v", r, r.Touched)
	}
	args, err := json.Marshal(r.Next.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if j := call(r.Next.Tool, string(args)).Data.(*shell.JobResult); j.Status != "running" || j.ExitCode != nil || j.NewBytes != 0 || j.NewFrom != 3 {
		t.Errorf("the next call answers %+v", j)
	}
	if r = call("shell_exec", `{"command":"true","shell":"zsh"}`); r.Err == nil || r.Err.Code != arc.InvalidArguments {
		t.Errorf("an unknown argument: %s", r)
	}
	if r = call("shell_exec", `{"command":"true","timeout_sec":901}`); r.Err == nil || r.Err.Code != arc.InvalidArguments {
		t.Errorf("a timeout above the schema's: %s", r)
	}
}

// What a model may do with next_call comes to an end.
func TestFollowingNextCallEnds(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	s := session(t, sh, arc.Turn{Env: full, Origin: me})
	r := s.Call(t.Context(), arc.Call{Name: "shell_exec", Args: json.RawMessage(`{"command":"seq 1 60000"}`)})
	for calls := 0; r.Next != nil; calls++ {
		if r.Err != nil || calls > 20 {
			t.Fatalf("after %d calls: %s", calls, r)
		}
		args, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		r = s.Call(t.Context(), arc.Call{Name: r.Next.Tool, Args: args})
	}
}

func TestACancelledCallAnswersSoon(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s := session(t, sh, arc.Turn{Env: full, Origin: me, Progress: func(arc.Call, arc.Progress) { cancel() }})
	r := s.Call(ctx, arc.Call{Name: "shell_exec", Args: json.RawMessage(`{"command":"echo up; exec sleep 300"}`)})
	if d, ok := r.Data.(*shell.ExecResult); !ok || d.Status != "killed" || r.Body != "up\n" {
		t.Errorf("it answers %s", r)
	}
}
