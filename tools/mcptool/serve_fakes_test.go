package mcptool_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// hang is a guard against what never comes; no test is timed by it.
const hang = 30 * time.Second

// look is a tool that reads.
func look(name string, fn func(context.Context, arc.Call) (*arc.Result, error)) arc.Tool {
	return tool(arc.Definition{Name: name, Effects: arc.Effects{ReadOnly: true}}, fn)
}

// tool is one that takes anything.
func tool(d arc.Definition, fn func(context.Context, arc.Call) (*arc.Result, error)) arc.Tool {
	if d.Schema == nil {
		d.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	d.Description = "does " + d.Name
	return tools.New(d, func(ctx context.Context, c arc.Call, _ struct{}) (*arc.Result, error) { return fn(ctx, c) })
}

func says(body string) func(context.Context, arc.Call) (*arc.Result, error) {
	return func(context.Context, arc.Call) (*arc.Result, error) { return &arc.Result{Body: body}, nil }
}

func setOf(t testing.TB, list ...arc.Tool) *tools.Set {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{tools.Of(list...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// served is a Serve under test.
type served struct {
	stop context.CancelFunc
	done chan struct{}
	err  error // once done is closed
}

func (s *served) wait(t testing.TB) error {
	t.Helper()
	select {
	case <-s.done:
		return s.err
	case <-time.After(hang):
		t.Fatal("Serve does not return")
		return nil
	}
}

func serveTo(t testing.TB, set *tools.Set, turn arc.Turn, transport mcp.Transport, o *mcptool.ServeOptions) *served {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &served{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.err = mcptool.Serve(ctx, set, turn, transport, o)
	}()
	t.Cleanup(func() {
		stop()
		s.wait(t)
	})
	return s
}

// client is the SDK's, connected to a Serve of the set.
func client(t testing.TB, set *tools.Set, turn arc.Turn, o *mcptool.ServeOptions, co *mcp.ClientOptions) (*mcp.ClientSession, *served) {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	s := serveTo(t, set, turn, there, o)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, co).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, s
}

// call calls a tool without arguments and returns the text and whether it is an error.
func call(t testing.TB, c *mcp.ClientSession, name string) (text string, isError bool) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage("{}")})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func listedBy(t testing.TB, c *mcp.ClientSession) (list []string) {
	t.Helper()
	for d, err := range c.Tools(context.Background(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d.Name)
	}
	return list
}

// raw is a client that says what it likes, line by line.
type raw struct {
	t     testing.TB
	conn  net.Conn
	lines *bufio.Reader
	mu    sync.Mutex
}

// rawClient has said hello to a Serve of the set.
func rawClient(t testing.TB, set *tools.Set, turn arc.Turn, o *mcptool.ServeOptions) (*raw, *served) {
	t.Helper()
	there, here := net.Pipe()
	s := serveTo(t, set, turn, &mcp.IOTransport{Reader: there, Writer: there}, o)
	r := &raw{t: t, conn: here, lines: bufio.NewReader(here)}
	t.Cleanup(func() { here.Close() })
	r.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	r.hear()
	r.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r, s
}

func (r *raw) say(line string) {
	r.t.Helper()
	if err := r.try(line, hang); err != nil {
		r.t.Fatal(err)
	}
}

// try says a line, if the server takes it within a time.
func (r *raw) try(line string, within time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.conn.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err := io.WriteString(r.conn, line+"\n")
	return err
}

func (r *raw) call(id int, name string) {
	r.t.Helper()
	r.say(callLine(id, name))
}

func callLine(id int, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, name)
}

// heard is a message of the server.
type heard struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	Error *struct {
		Code    int
		Message string
	}
	line string
}

func (r *raw) hear() heard {
	r.t.Helper()
	if err := r.conn.SetReadDeadline(time.Now().Add(hang)); err != nil {
		r.t.Fatal(err)
	}
	line, err := r.lines.ReadString('\n')
	if err != nil {
		r.t.Fatal(err)
	}
	var a heard
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		r.t.Fatalf("%v: %s", err, line)
	}
	a.line = line
	return a
}

func pipe(t testing.TB) (there, here net.Conn) {
	there, here = net.Pipe()
	t.Cleanup(func() { here.Close() })
	return there, here
}
