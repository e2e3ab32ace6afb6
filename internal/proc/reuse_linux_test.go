package proc

import (
	"os"
	"testing"
	"time"
)

// sleeper is a group of one that ends with the test.
func sleeper(t *testing.T) *Group {
	t.Helper()
	g, err := Start(Command{Argv: []string{"/bin/sleep", "600"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { End(g, 0, nil); <-g.Done() })
	return g
}

// until waits for what nobody reports.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

// A number that was a group's may be another's by now.
func TestANumberThatHasBecomeAnothersIsLetBe(t *testing.T) {
	t.Parallel()
	t.Run("if it was a group's that was seen empty", func(t *testing.T) {
		t.Parallel()
		g, err := Start(Command{Argv: []string{"/bin/true"}})
		if err != nil {
			t.Fatal(err)
		}
		until(t, "an empty group", func() bool { return g.Living() == 0 })
		stranger := sleeper(t)
		g.leader = &os.Process{Pid: stranger.PID()}
		if n := End(g, 0, nil); n != 0 {
			t.Errorf("%d are left of the group", n)
		}
		if err := g.Kill(); err != nil {
			t.Error(err)
		}
		if n := stranger.Living(); n != 1 {
			t.Errorf("%d live of the stranger's", n)
		}
	})
	t.Run("if it was of one that had left", func(t *testing.T) {
		t.Parallel()
		stranger := sleeper(t)
		s, ok, err := statOf(stranger.PID())
		if !ok || err != nil {
			t.Fatal(err)
		}
		e := &escaped{stage: killing, held: map[process]stage{{stranger.PID(), s.began - 1}: asking}}
		if n := e.known(); n != 0 {
			t.Errorf("%d are taken to live", n)
		}
		e.held[process{stranger.PID(), s.began}] = asking
		if n := e.known(); n != 1 {
			t.Errorf("%d live, want the one that was found", n)
		}
	})
}
