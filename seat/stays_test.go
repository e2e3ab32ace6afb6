package seat_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// A ledger on a disk that is away, say, keeps no operator from what is in hand: what it
// would have told is told as not known.
func TestAReporterThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, verb := range map[string]func(*room, arc.TurnID) (*seat.Stays, bool, error){
		"is not waited for by a dry run": func(r *room, last arc.TurnID) (*seat.Stays, bool, error) {
			_, d, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: ref, TurnID: string(last), DryRun: true})
			if err != nil {
				return nil, false, err
			}
			return d.Stays, d.Complete, nil
		},
		"is not waited for by retry": func(r *room, last arc.TurnID) (*seat.Stays, bool, error) {
			f, err := r.retry(seat.RetryArgs{TurnID: string(last)})
			if err != nil {
				return nil, false, err
			}
			return f.Stays, f.Stays.Complete, nil
		},
		"is not waited for by rewind": func(r *room, last arc.TurnID) (*seat.Stays, bool, error) {
			f, err := r.rewind(seat.RewindArgs{TurnID: string(last)})
			if err != nil {
				return nil, false, err
			}
			return f.Stays, f.Stays.Complete, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			last := r.exchange("p", "r")
			free := make(chan struct{})
			hangs := func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) {
				<-free // whatever becomes of the question
				return nil, nil
			}
			panics := func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error) { panic("no ledger") }
			r.op.Reporters = []seat.Reporter{
				{Name: "here", Touched: touched(arc.Touch{Kind: "task", ID: "7"}, arc.Touch{Kind: "job", ID: "job_1"})},
				{Name: "away", Touched: hangs}, {Name: "broken", Touched: panics}, {Name: "gone", Touched: hangs},
			}
			r.op.Jobs = &hanging{jobs: jobs{}, hangs: true, free: free}
			stays, complete, err := verb(r, last)
			close(free) // were it waited for, nobody would come here
			if err != nil {
				t.Fatal(err)
			}
			if complete || !slices.Equal(stays.Unknown, []string{"away", "broken", "gone"}) || len(stays.Tasks) != 1 || len(stays.JobsRunning) != 1 {
				t.Errorf("complete %v: %+v", complete, stays)
			}
		})
	}
}

// A service's call is known by the id that it has in its turn, and the next turn counts
// from one again: that two turns called something is not told as one call.
func TestCallsOfTwoTurnsAreTwo(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	set, err := tools.NewSet([]arc.Provider{tools.Of(tools.New(arc.Definition{Name: "ask"}, func(_ context.Context, c arc.Call, a struct {
		What string `json:"what"`
	}) (*arc.Result, error) {
		return &arc.Result{Touched: []arc.Touch{{Kind: "call", ID: c.ID, Note: a.What}}}, nil
	}))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.set = set
	var results []*arc.Result
	var first arc.TurnID
	for _, what := range []string{"files get", "mail send"} {
		r.send(what)
		x := r.turns(r.calling(&results, "ok", call("ask", `{"what":"`+what+`"}`)))[0]
		first = cmp.Or(first, x.Origin.Turn)
	}
	r.op.Reporters = []seat.Reporter{{Name: "ledger", Touched: touched(arc.Touch{Kind: "call", ID: "elsewhere"})}}
	_, d, err := r.svc.Rewind(r.ctx(), r.op, seat.RewindArgs{Ref: ref, TurnID: string(first), DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []seat.StaysThing{{ID: "elsewhere"}, {ID: "call_1", Note: "files get"}, {ID: "call_1", Note: "mail send"}}
	if !slices.Equal(d.Stays.MCPCalls, want) {
		t.Errorf("got %+v, want %+v", d.Stays.MCPCalls, want)
	}
}
