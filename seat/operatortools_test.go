package seat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

// verbs is a session of an operator's agent.
func (r *room) verbs() *tools.Session {
	r.t.Helper()
	set, err := tools.NewSet([]arc.Provider{seat.OperatorTools(r.svc, r.op)}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return set.Session(arc.Turn{})
}

func TestOperatorTools(t *testing.T) {
	t.Parallel()
	t.Run("show what the next turn replays, and take its revision", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(2)
		s := r.verbs()
		c := data[struct {
			Revision int64  `json:"history_revision"`
			Last     string `json:"last_turn_id"`
			Exact    bool
			MaxChars int `json:"max_chars"`
			Entries  []struct {
				State         string
				Prompt, Reply struct{ Text string }
			}
		}](t, s.Call(r.ctx(), call("arc_seat_context", `{"run_id":"demo"}`)))
		if c.Revision != 3 || c.Last != string(ids[1]) || !c.Exact || c.MaxChars != 24000 || len(c.Entries) != 2 || c.Entries[1].Prompt.Text != "p2" || c.Entries[0].Reply.Text != "r1" {
			t.Errorf("got %+v", c)
		}
		x := s.Call(r.ctx(), call("arc_seat_retry", fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"message":"again","expected_history_revision":%d}`, c.Last, c.Revision)))
		if x.Err != nil || !strings.Contains(x.String(), `"applied":true`) {
			t.Errorf("got %s", x)
		}
		x = s.Call(r.ctx(), call("arc_seat_retry", fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"expected_history_revision":%d}`, c.Last, c.Revision)))
		if got := x.String(); !strings.HasPrefix(got, `{"error":{"code":"revision_mismatch","message":"the history has changed since revision 3;`) || !strings.Contains(got, `"current":4`) {
			t.Errorf("got %s", got)
		}
	})
	t.Run("refuse a misspelt argument: it would act", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		s := r.verbs()
		for _, name := range []string{"arc_seat_context", "arc_seat_retry", "arc_seat_rewind", "arc_seat_edit_reply", "arc_seat_exclude_context", "arc_seat_status"} {
			args := fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"content":"x","dryrun":true}`, ids[0])
			if name == "arc_seat_context" || name == "arc_seat_status" {
				args = `{"run_id":"demo","maxchars":5}`
			}
			code(t, s.Call(r.ctx(), call(name, args)).Err, arc.InvalidArguments)
		}
		if c := r.context(); c.HistoryRevision != 2 {
			t.Error("something was done")
		}
	})
	t.Run("a smaller budget is a view, and says so", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		long := strings.Repeat("é", 300)
		r.exchange(long, "r")
		r.exchange(long, "r")
		c, err := r.svc.Context(r.ctx(), r.op, seat.ContextArgs{Ref: ref, MaxChars: 100})
		if err != nil || c.Exact || !c.Entries[0].Prompt.Clipped || c.Entries[0].Prompt.Text != "" || c.Entries[0].Prompt.Head != strings.Repeat("é", 240) || c.Entries[0].Prompt.Chars != 300 || c.Entries[1].Prompt.Clipped {
			t.Errorf("got %+v, %v", c, err)
		}
	})
	t.Run("an operator controls the seats of its rooms alone", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(1)
		r.op.Rooms = []string{"other"}
		s := r.verbs()
		for _, name := range []string{"arc_seat_context", "arc_seat_status"} {
			code(t, s.Call(r.ctx(), call(name, `{"run_id":"demo"}`)).Err, arc.Forbidden)
		}
		for _, name := range []string{"arc_seat_retry", "arc_seat_rewind", "arc_seat_exclude_context"} {
			code(t, s.Call(r.ctx(), call(name, fmt.Sprintf(`{"run_id":"demo","turn_id":%q}`, ids[0]))).Err, arc.Forbidden)
		}
	})
	t.Run("a seat is named by its run where that has one, and else more closely", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		for _, spec := range []seat.Spec{{Room: "demo", Membership: "b", Agent: "x"}, {Room: "demo", Membership: "c", Agent: "person", Unmanaged: true}} {
			if _, err := r.svc.Join(r.ctx(), spec); err != nil {
				t.Fatal(err)
			}
		}
		s := r.verbs()
		for args, want := range map[string]arc.Code{
			`{"run_id":"nope"}`:                                        arc.NotFound,
			`{"run_id":"demo"}`:                                        seat.SeatAmbiguous,
			`{"run_id":"demo","membership_id":"c"}`:                    seat.SeatNotManaged,
			`{"run_id":"demo","membership_id":"z"}`:                    arc.NotFound,
			`{"run_id":"demo","membership_id":"b","agent_id":"agent"}`: arc.NotFound,
		} {
			code(t, s.Call(r.ctx(), call("arc_seat_context", args)).Err, want)
		}
		for _, args := range []string{`{"run_id":"demo","membership_id":"b"}`, `{"run_id":"demo","agent_id":"x"}`, `{"run_id":"demo","membership_id":"main","agent_id":"agent"}`} {
			if x := s.Call(r.ctx(), call("arc_seat_context", args)); x.Err != nil {
				t.Errorf("%s: %v", args, x.Err)
			}
		}
	})
	t.Run("status pages through all turns", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(7)
		if _, err := r.rewind(seat.RewindArgs{TurnID: string(ids[6])}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.svc.Exclude(r.ctx(), r.op, seat.ExcludeArgs{Ref: ref, TurnID: string(ids[0])}); err != nil {
			t.Fatal(err)
		}
		s := r.verbs()
		next := call("arc_seat_status", `{"run_id":"demo","limit":3}`)
		var states []string
		for range 10 {
			x := s.Call(r.ctx(), next)
			for _, turn := range data[seat.Status](t, x).Turns {
				states = append(states, fmt.Sprint(turn.Seq, turn.State, turn.Head))
			}
			if x.Next == nil {
				break
			}
			args, err := json.Marshal(x.Next.Arguments)
			if err != nil {
				t.Fatal(err)
			}
			next = arc.Call{Name: x.Next.Tool, Args: args}
		}
		want := []string{"7superseded", "6completedp6", "5completedp5", "4completedp4", "3completedp3", "2completedp2", "1excludedp1"}
		if !slices.Equal(states, want) {
			t.Errorf("got %q", states)
		}
	})
	t.Run("what lies beyond is listed by its head, and the call for the rest is given", func(t *testing.T) {
		t.Parallel()
		r := newRoom(t)
		ids := r.many(64)
		x := r.verbs().Call(r.ctx(), call("arc_seat_context", `{"run_id":"demo"}`))
		c := data[seat.Context](t, x)
		if len(c.Entries) != 62 || c.BeyondTotal != 52 || c.Entries[0].State != seat.Beyond || x.Next == nil || x.Next.Tool != "arc_seat_status" {
			t.Errorf("%d entries, %d beyond, next %+v", len(c.Entries), c.BeyondTotal, x.Next)
		}
		// One that is excluded and older than all of these hides none of what is left out.
		if x := r.verbs().Call(r.ctx(), call("arc_seat_exclude_context", fmt.Sprintf(`{"run_id":"demo","turn_id":%q}`, ids[0]))); x.Err != nil {
			t.Fatal(x.Err)
		}
		x = r.verbs().Call(r.ctx(), call("arc_seat_context", `{"run_id":"demo"}`))
		args, err := json.Marshal(x.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		rest := data[seat.Status](t, r.verbs().Call(r.ctx(), arc.Call{Name: x.Next.Tool, Args: args}))
		if c := data[seat.Context](t, x); c.Entries[0].TurnID != ids[0] || c.Entries[1].TurnID != ids[2] || len(rest.Turns) != 2 || rest.Turns[0].TurnID != ids[1] {
			t.Errorf("listed are %s, %s and so on; the rest is %+v", c.Entries[0].TurnID, c.Entries[1].TurnID, rest.Turns)
		}
	})
}

func TestConformance(t *testing.T) {
	r := newRoom(t)
	ids := r.many(2)
	t.Run("operator", func(t *testing.T) {
		toolstest.Run(t, seat.OperatorTools(r.svc, r.op), &toolstest.Options{Calls: []arc.Call{
			call("arc_seat_context", `{"run_id":"demo"}`), call("arc_seat_status", `{"run_id":"demo","limit":1}`),
			call("arc_seat_retry", fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"dry_run":true}`, ids[1])),
			call("arc_seat_rewind", fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"dry_run":true}`, ids[0])),
			call("arc_seat_edit_reply", fmt.Sprintf(`{"run_id":"demo","turn_id":%q,"content":"r1"}`, ids[0])),
			call("arc_seat_exclude_context", fmt.Sprintf(`{"run_id":"demo","turn_id":%q}`, ids[0])),
		}})
	})
	t.Run("seat", func(t *testing.T) {
		r.send("go")
		r.turns(func(_ context.Context, x *seat.Turn) (string, error) {
			toolstest.Run(t, seat.Tools(), &toolstest.Options{Turn: &x.Turn, Calls: []arc.Call{
				{ID: "n", Name: "save_notes", Args: []byte(`{"notes":"n"}`)}, {ID: "r", Name: "remind", Args: []byte(`{"after":"1h","note":"n"}`)},
			}})
			return "ok", nil
		})
	})
}

// TestFacts holds the words of the tools to what a model has to know.
func TestFacts(t *testing.T) {
	t.Parallel()
	facts := map[string][]string{
		"save_notes":               {"full set", "checkpoint", "file text"},
		"wait":                     {"waiting", "exactly one", "note"},
		"remind":                   {"durable", "note"},
		"finish":                   {"gates", "missing"},
		"submit_plan":              {"ends the planning turn", "Inspect", "acceptance"},
		"answer_user":              {"change nothing"},
		"arc_seat_context":         {"exactly", "12 non-excluded", "history_revision", "never replayed"},
		"arc_seat_retry":           {"files, tasks, decisions stay", "drop_queued, which keeps wakes of surviving turns", "stubs", "busy"},
		"arc_seat_rewind":          {"everything after it", "drop_queued, which keeps wakes of surviving turns", "stubs", "busy"},
		"arc_seat_edit_reply":      {"never as the seat", "told at its next turn"},
		"arc_seat_exclude_context": {"without touching the room", "pulls an older exchange into the window"},
	}
	for _, p := range []arc.Provider{seat.Tools(), seat.OperatorTools(nil, seat.Operator{})} {
		for _, tool := range p.Tools() {
			d := tool.Definition(arc.Env{})
			for _, f := range facts[d.Name] {
				if !strings.Contains(d.Description, f) {
					t.Errorf("%s does not say %q", d.Name, f)
				}
			}
			delete(facts, d.Name)
		}
	}
	if len(facts) > 0 {
		t.Errorf("no tool has these facts: %v", facts)
	}
}
