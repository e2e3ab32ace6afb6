package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
)

// stuck is a tool that waits for its context's end, and says when it began and ended.
func stuck(name string) (arc.Tool, chan struct{}, chan error) {
	began, ended := make(chan struct{}, 100), make(chan error, 100)
	return look(name, func(ctx context.Context, _ arc.Call) (*arc.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}), began, ended
}

// within receives, or fails the test.
func within[T any](t testing.TB, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(hang):
		t.Fatal(what + " does not come")
	}
	return v
}

func TestCancellation(t *testing.T) {
	t.Parallel()

	t.Run("a call that the client takes back is canceled", func(t *testing.T) {
		t.Parallel()
		s, began, ended := stuck("stuck")
		c, _ := client(t, setOf(t, s, look("quick", says("still here"))), arc.Turn{}, nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "stuck"})
			failed <- err
		}()
		within(t, began, "the call")
		cancel()
		if err := within(t, ended, "its end"); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		if err := within(t, failed, "the client's error"); !errors.Is(err, context.Canceled) {
			t.Errorf("the client's call ended with %v", err)
		}
		if text, _ := call(t, c, "quick"); text != "still here" {
			t.Errorf("the next call says %q", text)
		}
	})

	t.Run("a client that leaves takes its calls with it, and Serve returns nil", func(t *testing.T) {
		t.Parallel()
		s, began, ended := stuck("stuck")
		c, served := rawClient(t, setOf(t, s), arc.Turn{}, nil)
		c.call(1, "stuck")
		within(t, began, "the call")
		c.conn.Close()
		within(t, ended, "its end")
		if err := served.wait(t); err != nil {
			t.Errorf("Serve returns %v", err)
		}
	})

	t.Run("Serve returns its context's error when that ends, calls and all", func(t *testing.T) {
		t.Parallel()
		s, began, ended := stuck("stuck")
		c, served := rawClient(t, setOf(t, s), arc.Turn{}, nil)
		c.call(1, "stuck")
		within(t, began, "the call")
		served.stop()
		within(t, ended, "its end")
		if err := served.wait(t); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returns %v", err)
		}
	})

	t.Run("an answer that the client does not read keeps nobody", func(t *testing.T) {
		t.Parallel()
		s, began, _ := stuck("stuck")
		c, served := rawClient(t, setOf(t, s, look("quick", says("ok"))), arc.Turn{}, nil)
		c.call(1, "quick") // the pipe holds nothing, and so the answer stays
		c.call(2, "stuck")
		within(t, began, "the call")
		served.stop()
		if err := served.wait(t); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returns %v", err)
		}
	})

	t.Run("what is no message ends the connection with an error", func(t *testing.T) {
		t.Parallel()
		c, served := rawClient(t, setOf(t), arc.Turn{}, nil)
		c.say(`{"jsonrpc":`)
		c.say(`]`)
		if err := served.wait(t); err == nil {
			t.Error("Serve returns nil")
		}
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	set := setOf(t, look("works", func(_ context.Context, c arc.Call) (*arc.Result, error) {
		c.Report(arc.Progress{Done: 1, Total: 3, Message: "one"})
		c.Report(arc.Progress{Done: 1, Total: 3, Message: "again"}) // does not rise
		c.Report(arc.Progress{Output: []byte("secret screen")})
		c.Report(arc.Progress{Done: 3, Total: 3, Message: "three"})
		return &arc.Result{Body: "done"}, nil
	}))

	t.Run("a client that asks is told of it in order, rising, before the answer, and not of raw output", func(t *testing.T) {
		t.Parallel()
		var heard atomic.Int64 // by the host
		turn := arc.Turn{Progress: func(arc.Call, arc.Progress) { heard.Add(1) }}
		c, _ := rawClient(t, set, turn, nil)
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"works","arguments":{},"_meta":{"progressToken":"tok"}}}`)
		var messages []string
		last := -1.0
		for {
			a := c.hear()
			if strings.Contains(a.line, "secret") {
				t.Errorf("raw output was sent: %s", a.line)
			}
			if a.Method == "" {
				if a.Result.Content[0].Text != "done" {
					t.Errorf("the answer is %s", a.line)
				}
				break
			}
			var p struct {
				ProgressToken, Message string
				Progress, Total        float64
			}
			if err := json.Unmarshal(a.Params, &p); err != nil || p.ProgressToken != "tok" || p.Progress <= last {
				t.Errorf("after %v came %s (%v)", last, a.line, err)
			}
			last = p.Progress
			if p.Message != "" {
				messages = append(messages, p.Message)
			}
		}
		if got := strings.Join(messages, " "); got != "one again three" {
			t.Errorf("messages are %q", got)
		}
		if heard.Load() != 4 {
			t.Errorf("the host heard %d of 4 reports", heard.Load())
		}
	})

	t.Run("a client that does not ask is not told", func(t *testing.T) {
		t.Parallel()
		c, _ := rawClient(t, set, arc.Turn{}, nil)
		c.call(1, "works")
		if a := c.hear(); a.Method != "" {
			t.Errorf("got %s", a.line)
		}
	})
}

func TestCallsComeInLine(t *testing.T) {
	t.Parallel()
	const n = 60
	var mu sync.Mutex
	var order []string
	running, writing := 0, false
	enter := func(c arc.Call, writes bool) (*arc.Result, error) {
		mu.Lock()
		order = append(order, string(c.Args))
		if writing || writes && running > 0 {
			t.Error("a writing call does not run alone")
		}
		if running++; running > 8 {
			t.Errorf("%d calls run at once", running)
		}
		writing = writes
		mu.Unlock()
		time.Sleep(time.Millisecond) // for others to meet it
		mu.Lock()
		defer mu.Unlock()
		running--
		writing = false
		return &arc.Result{Body: "ok"}, nil
	}
	set := setOf(t,
		look("read", func(_ context.Context, c arc.Call) (*arc.Result, error) { return enter(c, false) }),
		tool(arc.Definition{Name: "write"}, func(_ context.Context, c arc.Call) (*arc.Result, error) { return enter(c, true) }),
	)
	c, _ := rawClient(t, set, arc.Turn{}, nil)
	go func() {
		for i := range n {
			name := "write"
			if i%3 == 0 {
				name = "read"
			}
			c.say(strings.Replace(callLine(i+1, name), `"arguments":{}`, fmt.Sprintf(`"arguments":{"n":%d}`, i), 1))
		}
	}()
	for range n {
		if a := c.hear(); a.Error != nil || a.Result.IsError {
			t.Errorf("got %s", a.line)
		}
	}
	for i, args := range order {
		if want := fmt.Sprintf(`{"n":%d}`, i); args != want {
			t.Fatalf("call %d has arguments %s: the order is %q", i, args, order)
		}
	}
}

func TestAClientIsBounded(t *testing.T) {
	t.Parallel()

	t.Run("more calls than 64 are told to wait", func(t *testing.T) {
		t.Parallel()
		s, began, _ := stuck("stuck")
		c, served := rawClient(t, setOf(t, s), arc.Turn{}, nil)
		for i := range 70 {
			c.call(i+1, "stuck")
			if i < 8 {
				within(t, began, "a call")
			}
			if i >= 64 {
				if a := c.hear(); !strings.Contains(a.Result.Content[0].Text, `"code":"limit_reached"`) {
					t.Errorf("call %d got %s", i, a.line)
				}
			}
		}
		c.conn.Close()
		served.wait(t)
	})

	t.Run("a client that sends and does not read gets no further than its answers' limit", func(t *testing.T) {
		t.Parallel()
		var made atomic.Int64
		c, served := rawClient(t, setOf(t, look("quick", func(context.Context, arc.Call) (*arc.Result, error) {
			made.Add(1)
			return &arc.Result{}, nil
		})), arc.Turn{}, nil)
		taken := 0
		for ; taken < 2000; taken++ {
			if c.try(callLine(taken+1, "quick"), 2*time.Second) != nil {
				break
			}
		}
		if taken > 600 || made.Load() > 300 {
			t.Errorf("%d requests were taken and %d calls made without an answer being read", taken, made.Load())
		}
		c.conn.Close()
		served.wait(t)
	})

	t.Run("a call with the id of another that runs holds nobody up", func(t *testing.T) {
		t.Parallel()
		s, began, _ := stuck("stuck")
		c, _ := rawClient(t, setOf(t, s, look("quick", says("ok"))), arc.Turn{}, nil)
		c.call(7, "stuck")
		within(t, began, "the call")
		c.call(7, "quick")
		c.call(8, "quick")
		for {
			if a := c.hear(); string(a.ID) == "8" {
				break
			}
		}
	})

	t.Run("a call without a name, or without anything, holds nobody up", func(t *testing.T) {
		t.Parallel()
		c, _ := rawClient(t, setOf(t, look("quick", says("ok"))), arc.Turn{}, nil)
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
		if a := c.hear(); a.Error == nil {
			t.Errorf("got %s", a.line)
		}
		c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":4}}`)
		if a := c.hear(); a.Error == nil {
			t.Errorf("got %s", a.line)
		}
		c.say(`{"jsonrpc":"2.0","id":3,"method":"no/such"}`)
		if a := c.hear(); a.Error == nil {
			t.Errorf("got %s", a.line)
		}
		c.call(4, "quick")
		if a := c.hear(); a.Result.Content[0].Text != "ok" {
			t.Errorf("got %s", a.line)
		}
	})

	t.Run("a message over the transport's limit ends the connection", func(t *testing.T) {
		t.Parallel()
		there, here := pipe(t)
		s := serveTo(t, setOf(t), arc.Turn{}, &mcp.IOTransport{Reader: there, Writer: there, MaxLineLength: 1 << 10}, nil)
		go func() {
			for range 100 {
				if _, err := here.Write([]byte(strings.Repeat(" ", 100) + `{"a":"` + strings.Repeat("x", 100))); err != nil {
					return
				}
			}
		}()
		if err := s.wait(t); err == nil {
			t.Error("Serve returns nil")
		}
	})
}
