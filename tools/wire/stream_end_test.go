package wire_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arcseat/arc/tools/wire"
)

// events is a body of server-sent events.
func events(list []string) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

func TestWhereAStreamEnds(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		t.Run(string(p)+": what cuts it anywhere is what is told", func(t *testing.T) {
			t.Parallel()
			body, reset := events(streams[p]), errors.New("connection reset")
			for n := 0; n < len(body); n += 37 {
				for _, cause := range []error{nil, reset} {
					r, want := io.Reader(strings.NewReader(body[:n])), io.ErrUnexpectedEOF
					if cause != nil {
						r, want = io.MultiReader(r, iotest.ErrReader(cause)), cause
					}
					_, err := open(t, p, sees, nil).ReadStream(r, nil)
					if err == nil && (p == wire.OpenAIChat || strings.TrimSpace(body[:n]) == strings.TrimSpace(body)) {
						continue // all that counts has come
					}
					if !errors.Is(err, want) {
						t.Fatalf("cut after %q: got %v, want %v", body[max(0, n-40):n], err, want)
					}
				}
			}
		})
	}
	for _, p := range []wire.Provider{wire.Anthropic, wire.OpenAI, wire.OpenAIChat} {
		t.Run(string(p)+": a connection that stays open after the last event is not waited for", func(t *testing.T) {
			t.Parallel()
			late := errors.New("read on")
			r, err := open(t, p, sees, nil).ReadStream(io.MultiReader(strings.NewReader(events(streams[p])), iotest.ErrReader(late)), nil)
			if err != nil || len(r.Calls) != 2 {
				t.Errorf("got %d calls, %v", len(r.Calls), err)
			}
		})
	}
}

func TestStreamsOfManyParts(t *testing.T) {
	t.Parallel()
	t.Run("a thought in very many pieces is one", func(t *testing.T) {
		t.Parallel()
		const pieces = 5_000
		s := open(t, wire.OpenAIChat, sees, &wire.Options{Echo: []string{"reasoning_content", "reasoning_details", "odd"}}).Stream()
		for range pieces {
			if _, err := s.Add([]byte(`{"choices":[{"delta":{"reasoning_content":"thought ","reasoning_details":[1],"odd":null}}]}`)); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range []string{`{"choices":[{"delta":{"content":"Yes.","odd":["a"]}}]}`, `{"choices":[{"delta":{"odd":7},"finish_reason":"stop"}]}`} {
			if _, err := s.Add([]byte(e)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Reply()
		if err != nil {
			t.Fatal(err)
		}
		want := `{"role":"assistant","content":"Yes.","reasoning_content":"` + strings.Repeat("thought ", pieces) +
			`","reasoning_details":[1` + strings.Repeat(",1", pieces-1) + `],"odd":7}` + "\n"
		if messages(r.Messages) != want {
			t.Errorf("got %d bytes, want %d", len(messages(r.Messages)), len(want))
		}
	})
	t.Run("more calls than anybody makes are an error", func(t *testing.T) {
		t.Parallel()
		s := open(t, wire.OpenAIChat, sees, nil).Stream()
		_, err := s.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"id":"a"}` + strings.Repeat(`,{"id":"a"},{"id":"b"}`, 5_000) + `]}}]}`))
		if err == nil || !strings.Contains(err.Error(), "more than 2000 parts") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("and so are more blocks", func(t *testing.T) {
		t.Parallel()
		s := open(t, wire.Anthropic, sees, nil).Stream()
		var err error
		for n := 0; n < 2001 && err == nil; n++ {
			_, err = s.Add([]byte(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`))
		}
		if err == nil || !strings.Contains(err.Error(), "more than 2000 parts") {
			t.Errorf("got %v", err)
		}
	})
}
