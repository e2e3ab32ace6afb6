package main

import (
	"strings"
	"testing"

	"github.com/arcseat/arc/examples/internal/scripttest"
)

func TestARoomOnAServer(t *testing.T) {
	t.Parallel()
	server := scripttest.Postgres(t)
	g := newStage(t, scene("first", says("I heard the first.")), scene("second", says("I heard the second.")))
	g.ask("-store", server.URL(), "the first")
	if out := g.ask("-store", server.URL(), "the second"); !strings.Contains(out, "remembers 1 exchange") {
		t.Errorf("the screen shows\n%s", out)
	}
	server.Stop()
	if code, out := g.run("-store", server.URL(), "the third"); code != exitNotDone || !strings.Contains(out, "cannot be reached") {
		t.Errorf("without its server: exit code %d\n%s", code, out)
	}
}
