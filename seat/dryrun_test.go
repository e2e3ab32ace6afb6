package seat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

func TestDryRun(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.exchange("p1", "r1")
	var results []*arc.Result
	r.send("p2")
	list := r.turns(r.calling(&results, "r2", call("save_notes", `{"notes":"n"}`), call("remind", `{"after":"1h","note":"look"}`)))
	last := list[0].Origin.Turn
	r.op.Reporters = []seat.Reporter{{Name: "ledger", Touched: touched(
		arc.Touch{Kind: "changed", ID: "change_1", Path: "a.go", Note: "write", Undoable: true},
		arc.Touch{Kind: "command", ID: "sp_1", Note: "exit 2: make"}, arc.Touch{Kind: "job", ID: "job_1"}, arc.Touch{Kind: "call", ID: "call_1", Note: "files get"},
		arc.Touch{Kind: "task", ID: "7"}, arc.Touch{Kind: "claim", ID: "c1"}, arc.Touch{Kind: "artifact", ID: "a1"}, arc.Touch{Kind: "decision", ID: "d1"},
		arc.Touch{Kind: "read", ID: "x", Path: "b.go"}, arc.Touch{Kind: "mail", ID: "m1"})}}
	r.send("queued")
	before := dump(t, r)
	_, d, err := r.svc.Retry(r.ctx(), r.op, seat.RetryArgs{Ref: ref, TurnID: string(last), DryRun: true, ExpectedRevision: new(int64(1)), RequestID: "dry"})
	if err != nil {
		t.Fatal(err)
	}
	if after := dump(t, r); after != before {
		t.Error("a dry run changed the store")
	}
	var codes []arc.Code
	for _, e := range d.WouldRefuse {
		codes = append(codes, e.Code)
	}
	if !slices.Equal(codes, []arc.Code{seat.RevisionMismatch, seat.TurnsQueued}) {
		t.Errorf("it would be refused for %q", codes)
	}
	if len(d.WouldDropQueued) != 1 || len(d.WouldCancelWakes) != 1 || d.NotesWouldRevertTo == nil || *d.NotesWouldRevertTo != 0 || !slices.Equal(d.WouldSupersede.Turns, []arc.TurnID{last}) {
		t.Errorf("got %+v", d)
	}
	got, _ := json.Marshal(d.Stays)
	const want = `{"files":[{"path":"a.go","change_id":"change_1","kind":"write","undoable":true}],"shell_commands":[{"spool_id":"sp_1","exit":2,"command":"make"}],` +
		`"tasks":[{"id":"7"}],"claims":[{"id":"c1"}],"artifacts":[{"id":"a1"}],"decisions":[{"id":"d1"}],"jobs_running":[{"id":"job_1"}],` +
		`"mcp_calls":[{"id":"call_1","note":"files get"}],"other":[{"kind":"mail","id":"m1"}],"complete":true}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	r.op.Jobs = jobs{"job_1": "completed"}
	r.op.Reporters = append(r.op.Reporters, seat.Reporter{Name: "broken", Touched: failing})
	_, d, err = r.svc.Retry(r.ctx(), r.op, seat.RetryArgs{Ref: ref, TurnID: string(last), DryRun: true})
	if err != nil || d.Complete || !slices.Equal(d.Stays.Unknown, []string{"broken"}) || len(d.Stays.Files) != 1 || len(d.Stays.JobsRunning) != 0 {
		t.Errorf("a reporter failed: got %+v, %v", d, err)
	}
}

// toucher is a tool for each thing that outlives its call.
type toucher struct{}

func (toucher) Tools() []arc.Tool {
	var list []arc.Tool
	for name, touch := range map[string]arc.Touch{
		"write":  {Kind: "changed", ID: "change_1", Path: "a.go", Note: "write", Undoable: true},
		"run":    {Kind: "command", ID: "sp_1", Note: "exit 2: make"},
		"start":  {Kind: "job", ID: "job_1", Note: "serve"},
		"call":   {Kind: "call", ID: "call_1", Note: "files get"},
		"task":   {Kind: "task", ID: "7"},
		"claim":  {Kind: "claim", ID: "c1"},
		"make":   {Kind: "artifact", ID: "a1"},
		"decide": {Kind: "decision", ID: "d1"},
	} {
		list = append(list, tools.Func(arc.Definition{Name: name}, func(context.Context, struct{}) (*arc.Result, error) {
			return &arc.Result{Touched: []arc.Touch{touch}}, nil
		}))
	}
	return list
}

// files are the bytes of the store: the database and its log.
func (r *room) files() []byte {
	r.t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(r.path + suffix)
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// A dry run of each verb, over a turn that touched everything, tells each thing by its
// id and changes no byte of the store: neither the seat, nor the room, nor a ledger.
func TestADryRunTellsEverythingAndChangesNoByte(t *testing.T) {
	t.Parallel()
	b := newBusyRoom(t, "")
	set, err := tools.NewSet([]arc.Provider{seat.Tools(), toucher{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.set = set
	b.run.Jobs = jobs{"job_1": "running"}
	b.send("touch everything")
	var results []*arc.Result
	b.turns(b.calling(&results, "done", call("write", `{}`), call("run", `{}`), call("start", `{}`), call("call", `{}`), call("task", `{}`), call("claim", `{}`),
		call("make", `{}`), call("decide", `{}`), call("save_notes", `{"notes":"n"}`), remind("1h", "look")))
	for _, x := range results {
		if x.Err != nil {
			t.Fatal(x.Err)
		}
	}
	last := b.context().LastTurnID
	b.edit(b.last, "edited")
	b.send("queued")
	ledger := []arc.Touch{{Kind: "task", ID: "8"}, {Kind: "claim", ID: "c2"}, {Kind: "artifact", ID: "a2"}, {Kind: "decision", ID: "d2"}}
	b.op.Reporters = []seat.Reporter{{Name: "ledger", Touched: touched(ledger...)}}
	const stays = `{"files":[{"path":"a.go","change_id":"change_1","kind":"write","undoable":true}],"shell_commands":[{"spool_id":"sp_1","exit":2,"command":"make"}],` +
		`"tasks":[{"id":"8"},{"id":"7"}],"claims":[{"id":"c2"},{"id":"c1"}],"artifacts":[{"id":"a2"},{"id":"a1"}],"decisions":[{"id":"d2"},{"id":"d1"}],` +
		`"jobs_running":[{"id":"job_1","note":"serve"}],"mcp_calls":[{"id":"call_1","note":"files get"}],"complete":true}`
	before, rows := b.files(), dump(t, b.room)
	for name, do := range map[string]func() (*seat.DryRun, error){
		"retry": func() (*seat.DryRun, error) {
			_, d, err := b.svc.Retry(b.ctx(), b.op, seat.RetryArgs{Ref: ref, TurnID: string(last), DryRun: true, RequestID: "dry"})
			return d, err
		},
		"retry with another prompt": func() (*seat.DryRun, error) {
			_, d, err := b.svc.Retry(b.ctx(), b.op, seat.RetryArgs{Ref: ref, TurnID: string(last), DryRun: true, Message: new("new"), DropQueued: true, SupersedeRequest: true})
			return d, err
		},
		"rewind": func() (*seat.DryRun, error) {
			_, d, err := b.svc.Rewind(b.ctx(), b.op, seat.RewindArgs{Ref: ref, TurnID: string(last), DryRun: true, RequestID: "dry"})
			return d, err
		},
		"rewind and go on": func() (*seat.DryRun, error) {
			_, d, err := b.svc.Rewind(b.ctx(), b.op, seat.RewindArgs{Ref: ref, TurnID: string(last), DryRun: true, Message: new("new"), DropQueued: true})
			return d, err
		},
	} {
		d, err := do()
		if err != nil || d.Applied || !slices.Contains(d.WouldSupersede.Turns, last) || len(d.WouldDropQueued) != 1 || len(d.WouldCancelWakes) != 1 || d.NotesWouldRevertTo == nil {
			t.Errorf("%s: got %+v, %v", name, d, err)
			continue
		}
		if got, _ := json.Marshal(d.Stays); string(got) != stays {
			t.Errorf("%s:\n got %s\nwant %s", name, got, stays)
		}
		if !bytes.Equal(b.files(), before) || dump(t, b.room) != rows {
			t.Errorf("%s changed something", name)
		}
	}
}

func TestADryRunWhileTheFirstTurnIsInterrupted(t *testing.T) {
	t.Parallel()
	r, _ := withDoer(t)
	r.send("work")
	r.dies(func(ctx context.Context, x *seat.Turn) {
		r.calls(ctx, x, call("do", `{}`), remind("1h", "n"))
	})
	c := r.context()
	if c.LastTurnID != "" || c.Busy == nil || c.Busy.State != "interrupted" {
		t.Fatalf("got %+v", c)
	}
	turn := c.Busy.ActiveTurnID
	for name, do := range map[string]func() (*seat.DryRun, error){
		"retry": func() (*seat.DryRun, error) {
			_, d, err := r.svc.Retry(r.ctx(), r.op, seat.RetryArgs{Ref: ref, TurnID: string(turn), DryRun: true})
			return d, err
		},
		"rewind": func() (*seat.DryRun, error) {
			_, d, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: ref, TurnID: string(turn), DryRun: true})
			return d, err
		},
	} {
		d, err := do()
		if err != nil {
			t.Fatal(err)
		}
		var codes []arc.Code
		for _, e := range d.WouldRefuse {
			codes = append(codes, e.Code)
		}
		if !slices.Equal(codes, []arc.Code{seat.TurnNotCommitted, seat.Busy}) || !slices.Equal(d.WouldSupersede.Turns, []arc.TurnID{turn}) || len(d.WouldCancelWakes) != 1 || len(d.Stays.Files) != 1 {
			t.Errorf("%s: got %+v for %q", name, d, codes)
		}
		text, err := json.Marshal(d)
		if err != nil || bytes.Contains(text, []byte(`"window_after":null`)) {
			t.Errorf("%s: got %s, %v", name, text, err)
		}
	}
}
