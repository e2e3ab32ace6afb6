package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

func TestListAndWhatItHides(t *testing.T) {
	t.Parallel()
	list := []arc.Tool{
		says(arc.Definition{Name: "found", Listing: arc.Discover, Description: "Juggle apples."}, ""),
		says(arc.Definition{Name: "hosted", Listing: arc.Hosted}, ""),
		says(arc.Definition{Name: "direct"}, ""),
		says(arc.Definition{Name: "native", Native: "computer"}, "by hand"),
		says(arc.Definition{Name: "shell", Needs: arc.Needs{Access: arc.FullAccess}}, ""),
		does(arc.Definition{Name: "pager"}, func(context.Context, arc.Call) (*arc.Result, error) {
			return &arc.Result{Next: &arc.Next{Tool: "found"}, Offers: []string{"hosted", "shell", "nothing"}}, nil
		}),
		does(arc.Definition{Name: "refuser"}, func(context.Context, arc.Call) (*arc.Result, error) {
			return nil, &arc.Error{Code: arc.Stale, Message: "No.", Next: &arc.Next{Tool: "found"}}
		}),
	}
	safe := arc.Turn{}
	compact := arc.Turn{Env: arc.Env{Model: arc.Model{Compact: true, Native: []string{"computer"}}}}

	t.Run("direct, tool_search, hosted", func(t *testing.T) {
		t.Parallel()
		s := session(t, safe, nil, list...)
		if got, want := names(s.List()), []string{"direct", "native", "pager", "refuser", "tool_search", "hosted"}; !slices.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := names(s.Deferred()), []string{"found"}; !slices.Equal(got, want) {
			t.Errorf("deferred are %s, want %s", got, want)
		}
		if h := s.Hidden(); len(h) != 1 || !errors.Is(h[0], arc.Unavailable) || !strings.Contains(h[0].Error(), "shell is not available here") {
			t.Errorf("hidden is %v", h)
		}
	})
	t.Run("a compact list finds hosted tools by search, and a native one is callable and not listed", func(t *testing.T) {
		t.Parallel()
		s := session(t, compact, nil, list...)
		if got, want := names(s.List()), []string{"direct", "pager", "refuser", "tool_search"}; !slices.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := names(s.Deferred()), []string{"found", "hosted"}; !slices.Equal(got, want) {
			t.Errorf("deferred are %s, want %s", got, want)
		}
		if got, want := names(s.Native()), []string{"native"}; !slices.Equal(got, want) {
			t.Errorf("native are %s, want %s", got, want)
		}
		if got := session(t, safe, nil, list...).Native(); len(got) != 0 {
			t.Errorf("without a tool of the model's own, native are %s", names(got))
		}
		if r := s.Call(t.Context(), arc.Call{Name: "native"}); r.Body != "by hand" {
			t.Errorf("got %v", r)
		}
	})
	t.Run("what results name is listed from then on, in that order, if it is allowed", func(t *testing.T) {
		t.Parallel()
		s := session(t, compact, nil, list...)
		s.Call(t.Context(), arc.Call{Name: "pager"})
		if got, want := names(s.List()), []string{"direct", "pager", "refuser", "tool_search", "hosted", "found"}; !slices.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		s.Call(t.Context(), arc.Call{Name: "pager"})
		if got := s.List(); len(got) != 6 {
			t.Errorf("the second time it is %s", names(got))
		}
		if got := s.Deferred(); len(got) != 0 {
			t.Errorf("deferred are %s", names(got))
		}
	})
	t.Run("a refusal's next call counts too", func(t *testing.T) {
		t.Parallel()
		s := session(t, compact, nil, list...)
		s.Call(t.Context(), arc.Call{Name: "refuser"})
		if got := names(s.List()); !slices.Contains(got, "found") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("what tool_search finds is listed from then on", func(t *testing.T) {
		t.Parallel()
		s := session(t, safe, nil, list...)
		r := s.Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"juggling"}`)})
		const want = `{"tools":[{"name":"found","description":"Juggle apples.","schema":{"properties":{},"type":"object","required":[]}}]}`
		if r.String() != want {
			t.Errorf("\n got %s\nwant %s", r, want)
		}
		if got := names(s.List()); got[len(got)-1] != "found" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a search without a hit says what there is", func(t *testing.T) {
		t.Parallel()
		r := session(t, safe, nil, list...).Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"zzz"}`)})
		const want = `{"tools":[],"names":["found"],"notices":["No tool fits these words; these names can be called, or searched for."]}`
		if r.String() != want {
			t.Errorf("\n got %s\nwant %s", r, want)
		}
	})
	t.Run("without anything to find there is no tool_search", func(t *testing.T) {
		t.Parallel()
		if got := names(session(t, safe, nil, list[2]).List()); !slices.Equal(got, []string{"direct"}) {
			t.Errorf("got %s", got)
		}
	})
	t.Run("an empty list explains itself", func(t *testing.T) {
		t.Parallel()
		s := session(t, arc.Turn{Env: arc.Env{Deny: []string{"direct"}}}, nil, list[2], list[4])
		if l, h := s.List(), s.Hidden(); len(l) != 0 || len(h) != 2 || !errors.Is(h[0], arc.Forbidden) || !errors.Is(h[1], arc.Unavailable) {
			t.Errorf("got %s, hidden %v", names(l), h)
		}
	})
}

func TestCallIDsAreUniqueInTheTurn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var ids []string
	tool := does(reads("x"), func(_ context.Context, c arc.Call) (*arc.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if c.Origin.Call != c.ID {
			t.Errorf("the origin of %s says %s", c.ID, c.Origin.Call)
		}
		ids = append(ids, c.ID)
		return nil, nil
	})
	s := session(t, full, nil, tool)
	s.Reserve("call_1", "earlier")
	for _, id := range []string{"mine", "", "mine", "earlier", "call_9", ""} {
		s.Call(t.Context(), arc.Call{ID: id, Name: "x"})
	}
	if want := []string{"mine", "call_4", "call_5", "call_6", "call_9", "call_8"}; !slices.Equal(ids, want) {
		t.Errorf("got %s, want %s", ids, want)
	}
	ids = nil
	s.Run(t.Context(), make([]arc.Call, 0))
	batch := []arc.Call{{ID: "0", Name: "x"}, {ID: "0", Name: "x"}, {ID: "0", Name: "x"}}
	s.Run(t.Context(), batch)
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 || batch[1].ID != "0" {
		t.Errorf("got %s, the caller's batch is %v", ids, batch)
	}
}

// Some servers put what a model thought into the ids of its calls.
func TestALongCallIDBecomesAShortOneThatStays(t *testing.T) {
	t.Parallel()
	var ids []string
	tool := does(reads("x"), func(_ context.Context, c arc.Call) (*arc.Result, error) {
		ids = append(ids, c.ID)
		return nil, nil
	})
	long := strings.Repeat("thought", 1000)
	for range 2 { // the second resumes the turn
		s := session(t, full, nil, tool)
		s.Call(t.Context(), arc.Call{ID: long, Name: "x"})
		s.Call(t.Context(), arc.Call{ID: long + "!", Name: "x"})
	}
	if len(ids) != 4 || len(ids[0]) > 100 || ids[0] == ids[1] || ids[0] != ids[2] || ids[1] != ids[3] {
		t.Errorf("got %q", ids)
	}
}

func TestASessionIsOneTurnSeenFromManyGoroutines(t *testing.T) {
	t.Parallel()
	s := session(t, full, nil, says(reads("a"), "a"), says(arc.Definition{Name: "b", Listing: arc.Discover, Description: "Bees."}, "b"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s.Call(t.Context(), arc.Call{Name: "a"})
			s.Run(t.Context(), []arc.Call{{Name: "tool_search", Args: []byte(`{"query":"bees"}`)}, {Name: "b"}})
			s.List()
			s.Deferred()
			s.Hidden()
			s.Search("bees", 1)
			s.Reserve("x")
		})
	}
	wg.Wait()
	if got := names(s.List()); !slices.Equal(got, []string{"a", "tool_search", "b"}) {
		t.Errorf("got %s", got)
	}
}

func TestWhatASessionAccepts(t *testing.T) {
	t.Parallel()
	type args struct {
		Path string `json:"path" jsonschema_description:"where"`
		From int    `json:"from,omitempty" additive:"true" check:"minimum=0" jsonschema_description:"where to go on"`
	}
	typed := tools.Func(arc.Definition{Name: "typed"}, func(context.Context, args) (string, error) { return "", nil })
	varied := tools.Vary(typed, func(env arc.Env, d arc.Definition) arc.Definition {
		d.Description = "Vary."
		return d
	})
	for name, tool := range map[string]arc.Tool{"of a typed function": typed, "that varies": varied} {
		s := session(t, arc.Turn{}, nil, tool)
		published, accepted := string(s.List()[0].Schema), string(s.Accepts("typed"))
		if strings.Contains(published, "from") || !strings.Contains(accepted, `"from":{"type":"integer","minimum":0`) {
			t.Errorf("a tool %s publishes %s and accepts %s", name, published, accepted)
		}
	}
	foreign := says(arc.Definition{Name: "foreign"}, "")
	s := session(t, arc.Turn{}, nil, foreign)
	if got, want := string(s.Accepts("foreign")), string(foreign.Definition(arc.Env{}).Schema); got != want {
		t.Errorf("a tool with a schema of its own accepts %s, and publishes %s", got, want)
	}
	if got := string(s.Accepts("tool_search")); !strings.Contains(got, `"limit"`) {
		t.Errorf("tool_search accepts %s", got)
	}
	if got := s.Accepts("nobody"); got != nil {
		t.Errorf("nobody accepts %s", got)
	}
}
