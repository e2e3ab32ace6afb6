package tools_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

func TestABatch(t *testing.T) {
	t.Parallel()
	t.Run("readers run side by side, writers alone, and the answers are in order", func(t *testing.T) {
		t.Parallel()
		var readers, writers, peak atomic.Int32
		both := make(chan struct{}, 2)
		read := does(reads("read"), func(context.Context, arc.Call) (*arc.Result, error) {
			peak.Store(max(peak.Load(), readers.Add(1)))
			defer readers.Add(-1)
			if writers.Load() != 0 {
				t.Error("a reader runs beside a writer")
			}
			// Each waits for the other: alone they would never end.
			both <- struct{}{}
			for len(both) < 2 {
				select {
				case <-t.Context().Done():
					return nil, t.Context().Err()
				default:
				}
			}
			return &arc.Result{Body: "read"}, nil
		})
		write := does(arc.Definition{Name: "write"}, func(context.Context, arc.Call) (*arc.Result, error) {
			if writers.Add(1) != 1 || readers.Load() != 0 {
				t.Error("a writer is not alone")
			}
			defer writers.Add(-1)
			return &arc.Result{Body: "write"}, nil
		})
		s := session(t, full, nil, read, write)
		rs := s.Run(t.Context(), []arc.Call{{Name: "write"}, {Name: "read"}, {Name: "nothing"}, {Name: "read"}, {Name: "write"}, {Name: "write"}})
		var got []string
		for _, r := range rs {
			got = append(got, strings.SplitN(r.String(), ":", 2)[0])
		}
		if want := []string{"write", "read", `{"error"`, "read", "write", "write"}; !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if peak.Load() < 2 {
			t.Error("no two readers ran side by side")
		}
	})
	t.Run("no more than eight readers at once", func(t *testing.T) {
		t.Parallel()
		var running, peak atomic.Int32
		s := session(t, full, nil, does(reads("read"), func(context.Context, arc.Call) (*arc.Result, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
			}
			for peak.Load() < 8 && t.Context().Err() == nil {
				runtime.Gosched()
			}
			time.Sleep(time.Millisecond) // one more would come in now
			return nil, nil
		}))
		calls := make([]arc.Call, 200)
		for i := range calls {
			calls[i].Name = "read"
		}
		if rs := s.Run(t.Context(), calls); slices.Contains(rs, nil) || peak.Load() != 8 {
			t.Errorf("%d ran at once", peak.Load())
		}
	})

	ender := func(name string, end arc.End, err error) arc.Tool {
		return does(arc.Definition{Name: name, Effects: arc.Effects{EndsTurn: true}}, func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{End: end}, err
		})
	}
	run := func(t *testing.T, order *[]string, calls ...string) (ends []arc.End, codes []arc.Code) {
		s := session(t, full, &tools.Options{Middleware: []tools.Middleware{func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, c arc.Call) *arc.Result {
				*order = append(*order, c.Name)
				return next(ctx, c)
			}
		}}},
			ender("finish", arc.Finished, nil), ender("wait", arc.Waiting, nil), ender("satisfied", arc.Continue, nil),
			ender("fails", arc.Finished, arc.Stale), says(arc.Definition{Name: "write"}, ""))
		var batch []arc.Call
		for _, n := range calls {
			batch = append(batch, arc.Call{Name: n})
		}
		for _, r := range s.Run(t.Context(), batch) {
			ends = append(ends, r.End)
			code := arc.Code("ok")
			if r.Err != nil {
				code = r.Err.Code
			}
			codes = append(codes, code)
		}
		return ends, codes
	}
	t.Run("what ends the turn comes last, and the first that does wins", func(t *testing.T) {
		t.Parallel()
		var order []string
		ends, codes := run(t, &order, "satisfied", "fails", "wait", "write", "finish")
		if want := []string{"write", "satisfied", "fails", "wait", "finish"}; !slices.Equal(order, want) {
			t.Errorf("they ran as %s", order)
		}
		if want := []arc.Code{"ok", arc.Stale, "ok", "ok", arc.TerminalConflict}; !slices.Equal(codes, want) {
			t.Errorf("got %s", codes)
		}
		if want := []arc.End{arc.Continue, arc.Continue, arc.Waiting, arc.Continue, arc.Continue}; !slices.Equal(ends, want) {
			t.Errorf("got %v", ends)
		}
	})
	t.Run("a later batch of a turn that ended ends nothing again", func(t *testing.T) {
		t.Parallel()
		s := session(t, full, nil, ender("finish", arc.Finished, nil))
		s.Run(t.Context(), []arc.Call{{Name: "finish"}})
		for range 2 {
			if r := s.Call(t.Context(), arc.Call{Name: "finish"}); !errors.Is(r.Err, arc.TerminalConflict) || r.End != arc.Continue {
				t.Errorf("got %v", r)
			}
		}
	})
	t.Run("a call that may end the turn does not outwait its context behind another", func(t *testing.T) {
		t.Parallel()
		began, release := make(chan struct{}), make(chan struct{})
		s := session(t, full, nil, does(arc.Definition{Name: "finish", Effects: arc.Effects{EndsTurn: true}}, func(context.Context, arc.Call) (*arc.Result, error) {
			close(began)
			<-release
			return &arc.Result{End: arc.Finished}, nil
		}))
		first := make(chan *arc.Result)
		go func() { first <- s.Call(context.Background(), arc.Call{Name: "finish"}) }()
		<-began
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := s.Call(ctx, arc.Call{Name: "finish"}); !errors.Is(r.Err, arc.Canceled) {
			t.Errorf("got %v", r)
		}
		close(release)
		if r := <-first; r.End != arc.Finished {
			t.Errorf("the first answers %v", r)
		}
	})
	t.Run("a tool that does not say that it ends turns ends none", func(t *testing.T) {
		t.Parallel()
		s := session(t, full, nil, does(arc.Definition{Name: "sly"}, func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{End: arc.Finished}, nil
		}))
		if r := s.Call(t.Context(), arc.Call{Name: "sly"}); r.End != arc.Continue {
			t.Errorf("got %v", r.End)
		}
	})
	t.Run("a call whose ctx ends while it is approved is not made", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ran := 0
		s := session(t, full, &tools.Options{Approve: func(context.Context, arc.Call, arc.Definition) error { cancel(); return nil }},
			does(arc.Definition{Name: "write"}, func(context.Context, arc.Call) (*arc.Result, error) { ran++; return nil, nil }))
		if r := s.Call(ctx, arc.Call{Name: "write"}); !errors.Is(r.Err, arc.Canceled) || ran != 0 {
			t.Errorf("it ran %d times, and answers %v", ran, r)
		}
	})
	t.Run("when ctx ends the rest is answered without being run", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ran := 0
		s := session(t, full, nil,
			does(arc.Definition{Name: "cut"}, func(context.Context, arc.Call) (*arc.Result, error) { cancel(); return &arc.Result{Body: "done"}, nil }),
			does(arc.Definition{Name: "write"}, func(context.Context, arc.Call) (*arc.Result, error) { ran++; return nil, nil }),
			does(reads("read"), func(context.Context, arc.Call) (*arc.Result, error) { ran++; return nil, nil }), ender("finish", arc.Finished, nil))
		rs := s.Run(ctx, []arc.Call{{Name: "finish"}, {Name: "cut"}, {Name: "write"}, {Name: "read"}, {Name: "read"}, {Name: "nothing"}})
		if rs[1].Body != "done" || rs[1].Err != nil {
			t.Errorf("what was done is told as %v", rs[1])
		}
		for i, r := range rs {
			if i != 1 && !errors.Is(r.Err, arc.Canceled) {
				t.Errorf("call %d: got %v", i, r)
			}
		}
		if ran != 0 {
			t.Errorf("%d ran", ran)
		}
	})
}
