package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/tools/mcptool"
)

// archive is an MCP service with a tool whose answer is text.
func archive(text string) mcptool.Service {
	return mcptool.Service{Name: "archive", Dial: func(ctx context.Context) (mcp.Transport, error) {
		here, there := mcp.NewInMemoryTransports()
		server := mcp.NewServer(&mcp.Implementation{Name: "archive", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "export", Description: "Export the archive", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
			})
		_, err := server.Connect(ctx, there, nil)
		return here, err
	}}
}

// A service is for the seats that the operator grants it to, and only as long as he does.
func TestAServiceIsForThoseWhoAreGrantedIt(t *testing.T) {
	t.Parallel()
	var withdrawn atomic.Bool
	host, _ := open(t, local.Options{
		Access: arc.FullAccess, Services: []mcptool.Service{archive(strings.Repeat("a long answer\n", 2000))},
		Granted: func(seat arc.SeatID) []string {
			if seat != "reader" || withdrawn.Load() {
				return nil
			}
			return []string{"archive"}
		},
	})
	set, err := host.Set(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := set.Session(host.Turn(arc.Origin{Seat: "reader"}))
	export := arc.Call{Name: "archive__export"}
	first := s.Call(t.Context(), export)
	if first.Err != nil || first.Next == nil {
		t.Fatalf("the answer is %.400s", first)
	}
	args, err := json.Marshal(first.Next.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	rest := arc.Call{Name: first.Next.Tool, Args: args}
	if r := s.Call(t.Context(), rest); r.Err != nil || r.Body == "" {
		t.Errorf("the rest is %.400s", r)
	}
	if r := set.Session(host.Turn(arc.Origin{Seat: "stranger"})).Call(t.Context(), export); r.Err == nil || r.Err.Code != arc.ServiceNotGranted {
		t.Errorf("a seat without the grant gets %.400s", r)
	}
	withdrawn.Store(true)
	for _, c := range []arc.Call{rest, export} {
		if r := s.Call(t.Context(), c); r.Err == nil || r.Err.Code != arc.ServiceNotGranted && r.Err.Code != arc.Unavailable || r.Body != "" {
			t.Errorf("without the grant %s answers %.400s", c.Name, r)
		}
	}
}

func TestServicesNeedFullAccess(t *testing.T) {
	t.Parallel()
	_, err := local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Services: []mcptool.Service{archive("")}})
	if !errors.Is(err, arc.InvalidArguments) || !strings.Contains(err.Error(), "-access full") {
		t.Errorf("a safe room says %v", err)
	}
	_, err = local.Open(t.TempDir(), &local.Options{State: t.TempDir(), Access: arc.FullAccess, Services: []mcptool.Service{{Name: "x", Command: []string{"no-such-program-here"}}}})
	if !errors.Is(err, arc.Unavailable) {
		t.Errorf("a program that is not there is %v", err)
	}
}

func TestAServiceThatDoesNotStartIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	_, err := local.Open(t.TempDir(), &local.Options{
		State: t.TempDir(), Access: arc.FullAccess, Stop: stop,
		Services: []mcptool.Service{{Name: "silent", Dial: func(ctx context.Context) (mcp.Transport, error) {
			close(stop)
			<-ctx.Done()
			return nil, ctx.Err()
		}}},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}

func TestServiceFlags(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		`a=b`:                             `a ["b"] `,
		`files=server "a b" 'c"d'`:        `files ["server" "a b" "c\"d"] `,
		`x=  y  "" `:                      `x ["y" ""] `,
		`web=https://example.org/mcp?a=b`: `web [] https://example.org/mcp?a=b`,
		`env=FOO=1`:                       `env ["FOO=1"] `,
		`a=`:                              "NAME=COMMAND",
		`=b`:                              "NAME=COMMAND",
		`a`:                               "NAME=COMMAND",
		`a="b`:                            "has no end",
	} {
		var o local.Options
		fs := flag.NewFlagSet("test", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		o.AddFlags(fs)
		if err := fs.Parse([]string{"-service", flags}); err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s says %v", flags, err)
			}
			continue
		}
		if got := fmt.Sprintf("%s %q %s", o.Services[0].Name, o.Services[0].Command, o.Services[0].URL); got != want {
			t.Errorf("%s is %s", flags, got)
		}
	}
}
