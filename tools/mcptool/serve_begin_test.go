package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// sat is the seat of a turn that is only looked at.
type sat struct{ arc.Seat }

func TestBegin(t *testing.T) {
	t.Parallel()
	set := setOf(t,
		look("read", func(_ context.Context, c arc.Call) (*arc.Result, error) {
			return &arc.Result{Body: string(c.Origin.Turn)}, nil
		}),
		tool(arc.Definition{Name: "finish", Needs: arc.Needs{Seat: true}, Effects: arc.Effects{EndsTurn: true}},
			func(context.Context, arc.Call) (*arc.Result, error) {
				return &arc.Result{Body: "finished", End: arc.Finished}, nil
			}),
	)
	listed := arc.Turn{Seat: sat{}}

	t.Run("the turn is begun by the first call, with its middleware, and not by a list", func(t *testing.T) {
		t.Parallel()
		var begun, seen atomic.Int64
		c, _ := client(t, set, listed, &mcptool.ServeOptions{Begin: func(context.Context) (arc.Turn, []tools.Middleware, error) {
			begun.Add(1)
			mw := func(next tools.Handler) tools.Handler {
				return func(ctx context.Context, c arc.Call) *arc.Result {
					seen.Add(1)
					return next(ctx, c)
				}
			}
			return arc.Turn{Seat: sat{}, Origin: arc.Origin{Turn: "turn_7"}}, []tools.Middleware{mw}, nil
		}}, nil)
		if got := listedBy(t, c); !slices.Equal(got, []string{"read", "finish"}) || begun.Load() != 0 {
			t.Fatalf("listed %q, and began %d turns", got, begun.Load())
		}
		for range 3 {
			if text, _ := call(t, c, "read"); text != "turn_7" {
				t.Errorf("the call is of the turn %q", text)
			}
		}
		if begun.Load() != 1 || seen.Load() != 3 {
			t.Errorf("began %d turns, and the middleware saw %d calls", begun.Load(), seen.Load())
		}
	})

	t.Run("why it cannot begin is told, and the next call asks again", func(t *testing.T) {
		t.Parallel()
		refusals := []error{
			&arc.Error{Code: arc.Locked, Message: "the seat is in another turn; wait for it."},
			errors.New("disk /home/x is on fire"),
		}
		c, _ := client(t, set, listed, &mcptool.ServeOptions{Begin: func(context.Context) (arc.Turn, []tools.Middleware, error) {
			if len(refusals) == 0 {
				return arc.Turn{Origin: arc.Origin{Turn: "turn_1"}}, nil, nil
			}
			err := refusals[0]
			refusals = refusals[1:]
			return arc.Turn{}, nil, err
		}}, nil)
		if text, isError := call(t, c, "read"); !isError || text != `{"error":{"code":"locked","message":"the seat is in another turn; wait for it."}}` {
			t.Errorf("got %q", text)
		}
		if text, isError := call(t, c, "read"); !isError || !strings.Contains(text, `"code":"internal"`) || strings.Contains(text, "/home/x") {
			t.Errorf("got %q", text)
		}
		if text, _ := call(t, c, "read"); text != "turn_1" {
			t.Errorf("got %q", text)
		}
	})

	t.Run("a tool that ends the turn tells the client to stop, and nothing is called after it", func(t *testing.T) {
		t.Parallel()
		c, _ := client(t, set, listed, nil, nil)
		text, isError := call(t, c, "finish")
		if isError || !strings.HasPrefix(text, `{"notices":["This has ended the turn: make no more calls,`) || !strings.HasSuffix(text, "\nfinished") {
			t.Errorf("got %q", text)
		}
		for _, name := range []string{"read", "finish"} {
			if text, isError := call(t, c, name); !isError || !strings.Contains(text, `"code":"terminal_conflict"`) {
				t.Errorf("%s after it says %q", name, text)
			}
		}
	})
}

func TestTheNameOfTheServer(t *testing.T) {
	t.Parallel()
	c, _ := client(t, setOf(t), arc.Turn{}, &mcptool.ServeOptions{Name: "box", Title: "A box", Version: "2", Instructions: "Look first."}, nil)
	r := c.InitializeResult()
	if r.ServerInfo.Name != "box" || r.ServerInfo.Title != "A box" || r.ServerInfo.Version != "2" || r.Instructions != "Look first." {
		t.Errorf("it says of itself %+v, %q", r.ServerInfo, r.Instructions)
	}
	if can, err := json.Marshal(r.Capabilities); err != nil || string(can) != `{"tools":{}}` {
		t.Errorf("it can %s, %v", can, err)
	}
}
