package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// answers calls a tool that returns r and err.
func answers(t testing.TB, r *arc.Result, err error) *arc.Result {
	t.Helper()
	s := session(t, full, nil, does(arc.Definition{Name: "x", Effects: arc.Effects{EndsTurn: true}},
		func(context.Context, arc.Call) (*arc.Result, error) { return r, err }))
	return s.Call(t.Context(), arc.Call{Name: "x"})
}

func TestABodyThatIsTooLongIsCutAtACharacter(t *testing.T) {
	t.Parallel()
	type data struct {
		Path      string `json:"path"`
		Truncated bool   `json:"truncated"`
	}
	body := "a" + strings.Repeat("€", 30_000)
	notices := []string{"first", "the tool's own"}
	sent := &arc.Result{Data: data{Path: "p"}, Body: body, Notices: notices[:1]}
	r := answers(t, sent, nil)
	if want := 65_536; len(r.Body) != want || !utf8.ValidString(r.Body) || !strings.HasPrefix(body, r.Body) {
		t.Errorf("the body has %d bytes", len(r.Body))
	}
	head, _, _ := strings.Cut(r.String(), "\n")
	const want = `{"path":"p","truncated":true,"total_bytes":90001,"notices":["first","The text was cut: these are its first 65536 of 90001 bytes, and this tool has no way to show the rest."]}`
	if head != want {
		t.Errorf("\n got %s\nwant %s", head, want)
	}
	if sent.Body != body || len(sent.Notices) != 1 || notices[1] != "the tool's own" {
		t.Error("what the tool returned was changed")
	}
}

func TestResultsWithinTheLimitsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	type data struct{ N int }
	d := &data{1}
	body := strings.Repeat("x", tools.MaxBody)
	r := answers(t, &arc.Result{Data: d, Body: body}, nil)
	if r.Data != any(d) || r.Body != body || r.Notices != nil || r.Err != nil {
		t.Errorf("got %v", r)
	}
}

func TestABodyThatIsNotUTF8IsMadeSo(t *testing.T) {
	t.Parallel()
	if r := answers(t, &arc.Result{Body: "a\xff\xfeb"}, nil); r.Body != "a\uFFFDb" {
		t.Errorf("got %q", r.Body)
	}
}

func TestAHeaderThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	big := map[string]string{"a": strings.Repeat("x", 20_000)}
	t.Run("data", func(t *testing.T) {
		t.Parallel()
		touched := []arc.Touch{{Kind: "changed", Path: "a.go"}}
		r := answers(t, &arc.Result{Data: big, Body: "b", Touched: touched, End: arc.Finished}, nil)
		const want = `{"error":{"code":"too_large","message":"The call was done, but its data is too large to be shown; ask for less, or look at what it did in another way.","size":20008,"limit":16384}}` + "\nb"
		if r.String() != want {
			t.Errorf("\n got %s\nwant %s", r, want)
		}
		if len(r.Touched) != 1 || r.End != arc.Finished {
			t.Error("what the call did is forgotten")
		}
	})
	t.Run("data of the operator's verbs is not", func(t *testing.T) {
		t.Parallel()
		s := session(t, full, nil, does(arc.Definition{Name: "arc_seat_context"},
			func(context.Context, arc.Call) (*arc.Result, error) { return &arc.Result{Data: big}, nil }))
		if r := s.Call(t.Context(), arc.Call{Name: "arc_seat_context"}); r.Err != nil || len(r.String()) < 20_000 {
			t.Errorf("got %d bytes, %v", len(r.String()), r.Err)
		}
	})
	t.Run("an error's detail", func(t *testing.T) {
		t.Parallel()
		r := answers(t, nil, &arc.Error{Code: arc.Stale, Message: "Again.", Detail: big})
		if got := r.String(); got != `{"error":{"code":"stale","message":"Again."}}` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("data beside an error leaves the error", func(t *testing.T) {
		t.Parallel()
		r := answers(t, &arc.Result{Data: big}, &arc.Error{Code: arc.Stale, Message: "Again.", Detail: map[string]int{"n": 1}})
		if got := r.String(); got != `{"error":{"code":"stale","message":"Again.","n":1}}` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("notices and messages", func(t *testing.T) {
		t.Parallel()
		notices := strings.Split(strings.Repeat(strings.Repeat("é", 3000)+"|", 9), "|")
		r := answers(t, &arc.Result{Notices: notices}, &arc.Error{Code: arc.Stale, Message: strings.Repeat("é", 9000)})
		if got := r.String(); len(got) > tools.MaxHeader || !utf8.ValidString(got) || !errors.Is(r.Err, arc.Stale) {
			t.Errorf("got %d bytes: %s", len(got), got)
		}
	})
	t.Run("notices that grow sixfold when they are escaped", func(t *testing.T) {
		t.Parallel()
		notices := strings.Split(strings.Repeat(strings.Repeat("\x01", 900)+"|", 9), "|")
		r := answers(t, &arc.Result{Notices: notices}, &arc.Error{Code: arc.Stale, Message: strings.Repeat("\x01", 9000)})
		if n := len(r.String()); n > tools.MaxHeader {
			t.Errorf("got %d bytes", n)
		}
	})
}

func TestALongTextOutlivesDataThatIsTooDeep(t *testing.T) {
	t.Parallel()
	deep := json.RawMessage(strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100))
	r := answers(t, &arc.Result{Data: deep, Body: strings.Repeat("x", 70_000)}, nil)
	if got := r.String(); r.Err != nil || !strings.HasPrefix(got, `{"truncated":true,"total_bytes":70000,`) || len(r.Body) != tools.MaxBody {
		t.Errorf("got %.200s", got)
	}
}

func TestDataThatCannotBeShownIsTheToolsFault(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]any{
		"a list": []int{1}, "a channel": map[string]any{"c": make(chan int)}, "a marshaler that fails": failing{}, "one that panics": panicking{},
	} {
		r := answers(t, &arc.Result{Data: data, Body: strings.Repeat("x", 70_000), Touched: []arc.Touch{{Kind: "changed"}}, End: arc.Finished}, nil)
		if !errors.Is(r.Err, arc.Internal) || r.Data != nil {
			t.Errorf("%s: got %v", name, r)
		}
		if len(r.Touched) != 1 || r.End != arc.Finished {
			t.Errorf("%s: what the call did is forgotten", name)
		}
	}
	r := answers(t, nil, &arc.Error{Code: arc.Stale, Message: "Again.", Detail: 5})
	if !errors.Is(r.Err, arc.Internal) {
		t.Errorf("a detail that is no object: got %v", r)
	}
}

type failing struct{}

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("no") }

var _ json.Marshaler = panicking{}
