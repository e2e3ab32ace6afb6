package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/scripttest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// A room on a server is worked beside the agent that has it open.
func TestARoomOnAServer(t *testing.T) {
	t.Parallel()
	server := scripttest.Postgres(t)
	dir, state := t.TempDir(), t.TempDir()
	operate := func(args ...string) (int, string) {
		t.Helper()
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"-dir", dir, "-state", state, "-store", server.URL()}, args...), strings.NewReader(""), out, &stderr)
		said, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return code, string(said) + stderr.String()
	}
	if code, said := operate("status"); code != exitRefused || !strings.Contains(said, "store") {
		t.Errorf("before there is a store: exit code %d\n%s", code, said)
	}
	h, err := local.Open(dir, &local.Options{State: state, Seats: true, Store: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	turn := func(prompt string, fn seat.Handler) {
		t.Helper()
		if err := h.OneTurn(t.Context(), "work", prompt, arc.Ordinary, fn); err != nil {
			t.Fatal(err)
		}
	}
	turn("first", func(context.Context, *seat.Turn) (string, error) { return "said at first", nil })
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"context"}, "said at first"},
		{[]string{"edit-reply", "last", "said by the operator"}, ""},
		{[]string{"context"}, "said by the operator"},
		{[]string{"task", "add", "a task"}, ""},
		{[]string{"task"}, "a task"},
		{[]string{"retry", "last", "-dry-run"}, ""},
		{[]string{"status"}, "first"},
	} {
		if code, said := operate(c.args...); code != exitOK || !strings.Contains(said, c.want) {
			t.Errorf("%v: exit code %d\n%s", c.args, code, said)
		}
	}
	turn("second", func(_ context.Context, x *seat.Turn) (string, error) {
		if text := fmt.Sprintf("%+v", x.Replay); !strings.Contains(text, "said by the operator") || strings.Contains(text, "at first") || len(x.Notices) != 1 {
			t.Errorf("the seat remembers %+v and is told %q", x.Replay, x.Notices)
		}
		return "r", nil
	})
	// A turn that the agent runs is ended from here.
	err = h.OneTurn(t.Context(), "work", "third", arc.Ordinary, func(ctx context.Context, x *seat.Turn) (string, error) {
		if code, said := operate("stop"); code != exitOK || !strings.Contains(said, string(x.Origin.Turn)) {
			t.Errorf("stop: exit code %d\n%s", code, said)
		}
		<-ctx.Done()
		return "", ctx.Err()
	})
	if _, said := operate("status"); !strings.Contains(said, "failed") {
		t.Errorf("the turn has ended otherwise: %v\n%s", err, said)
	}
}
