package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// ender has a tool that ends the turn, and one with pictures.
func ender() arc.Provider {
	return tools.Of(
		tools.Func(arc.Definition{Name: "wait", Description: "Wait.", Effects: arc.Effects{EndsTurn: true}}, func(context.Context, struct{}) (*arc.Result, error) {
			return &arc.Result{Body: "waiting", End: arc.Waiting}, nil
		}),
		tools.Func(arc.Definition{Name: "look", Description: "Look."}, func(context.Context, struct{}) (*arc.Result, error) {
			return &arc.Result{Images: make([]arc.Image, 2)}, nil
		}),
	)
}

func newSession(t *testing.T) *tools.Session {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{ender()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(arc.Turn{})
}

func TestAnAnswerIsThereBeforeTheNextLineIsRead(t *testing.T) {
	t.Parallel()
	in, toScript, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	fromScript, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- runScript(t.Context(), newSession(t), asIs, in, out) }()
	dec := json.NewDecoder(fromScript)
	for _, tt := range []struct {
		line string
		want answer
	}{
		{`{"name":"look"}`, answer{Name: "look", Text: "{}", Images: 2}},
		{`{"name":"wait","args":{}}`, answer{Name: "wait", Text: "waiting", Turn: "waiting"}},
	} {
		if _, err := toScript.WriteString(tt.line + "\n"); err != nil {
			t.Fatal(err)
		}
		var got answer
		if err := dec.Decode(&got); err != nil || got != tt.want {
			t.Fatalf("got %+v, %v; want %+v", got, err, tt.want)
		}
	}
	toScript.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestALineThatIsTooLongIsAnsweredAndTheNextIsRead(t *testing.T) {
	t.Parallel()
	in := io.MultiReader(strings.NewReader(`{"name":"`), io.LimitReader(xs{}, maxLine), strings.NewReader("\"}\n{\"name\":\"look\"}"))
	var out bytes.Buffer
	if err := runScript(t.Context(), newSession(t), asIs, in, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "this line is no call: it is longer than 67108864 bytes") || !strings.Contains(lines[1], `"images":2`) {
		t.Errorf("got %s", out.String())
	}
}

// xs reads as x without end.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestASignalEndsAScriptThatWaitsForItsInput(t *testing.T) {
	t.Parallel()
	in, toScript := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- runScript(ctx, newSession(t), asIs, in, io.Discard) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	toScript.Close() // lets go of the reader that is left behind
}
