package mcptool_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

func TestAFuncOfTheHostThatPanicsEndsNoHost(t *testing.T) {
	t.Parallel()
	t.Run("what listens to a service's progress", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		in, told := turn("me", "peer"), 0
		in.Progress = func(arc.Call, arc.Progress) {
			if told++; told == 3 {
				cancel()
			}
			panic("no screen")
		}
		if r := session(t, attach(t, child("good"), nil), in, nil).Call(ctx, arc.Call{Name: "peer__slow"}); code(r) != arc.Canceled || told != 3 {
			t.Errorf("it was told %d times, and the call answers %s", told, r)
		}
	})
	t.Run("what answers a service's question", func(t *testing.T) {
		t.Parallel()
		for _, role := range []string{"good", "asks"} {
			one, name := child(role), map[string]string{"good": "peer__ask", "asks": "peer__do"}[role]
			one.Elicit = func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { panic("nobody is here") }
			s := attach(t, one, nil)
			for range 2 {
				if r := ask(t, s, name, `{}`); !strings.HasPrefix(r.Body, "decline") {
					t.Errorf("%s: it answers %s", role, r)
				}
			}
		}
	})
	t.Run("what begins the turn of a client", func(t *testing.T) {
		t.Parallel()
		asked := 0
		c, _ := client(t, setOf(t, look("read", says("it"))), arc.Turn{}, &mcptool.ServeOptions{Begin: func(context.Context) (arc.Turn, []tools.Middleware, error) {
			if asked++; asked == 1 {
				panic("no seat")
			}
			return arc.Turn{}, nil, nil
		}}, nil)
		if text, isError := call(t, c, "read"); !isError || !strings.Contains(text, `"code":"internal"`) || strings.Contains(text, "no seat") {
			t.Errorf("got %q", text)
		}
		if text, _ := call(t, c, "read"); text != "it" {
			t.Errorf("then %q", text)
		}
	})
	t.Run("what serves a session", func(t *testing.T) {
		t.Parallel()
		w := (&web{t: t, client: &http.Client{Transport: &http.Transport{}}}).serve(mcptool.HandlerOptions{}, func(context.Context, mcp.Transport) error {
			panic("no turn")
		})
		for range 2 {
			if status, answer, _ := w.do("POST", hello); status != http.StatusServiceUnavailable || strings.Contains(answer, "no turn") {
				t.Errorf("got %d %q", status, answer)
			}
		}
	})
}
