//go:build unix

package postgres_test

import (
	"syscall"
	"testing"
	"time"
)

// A process that stands still for longer than its lease has lost its turn. When it goes on,
// what it has to say of the turn is refused.
func TestAZombie(t *testing.T) {
	t.Parallel()
	o := orders{URL: url(t), Schema: schema(t), Lease: 2 * time.Second, Work: 700 * time.Millisecond, Timeout: time.Second, Patience: 5 * time.Second, Parallel: 4}
	s := newStorm(t, o, 6, 2)
	zombie := s.workers[0]
	until := func(what string, done func() bool) {
		t.Helper()
		for guard := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(guard) {
				t.Fatal(what, " does not come")
			}
		}
	}
	taken := func() int {
		n := 0
		for _, list := range s.attempts() {
			for i, a := range list {
				if _, ok := list[i+1]; ok && a.w == zombie {
					n++
				}
			}
		}
		return n
	}
	s.loaded(100*time.Millisecond, func() {
		until("a turn", func() bool { return len(zombie.said("start")) > len(zombie.said("end")) })
		signal := func(n syscall.Signal) {
			if err := zombie.cmd.Process.Signal(n); err != nil {
				t.Error(err)
			}
		}
		signal(syscall.SIGSTOP)
		until("the turn on the other", func() bool { return taken() > 0 })
		signal(syscall.SIGCONT)
		until("a refusal", func() bool { return zombie.logged("was not committed", "lease_lost") > 0 })
	})
	s.verify()
	t.Logf("%d prompts, %d turns, %d of them taken over, %d commits refused", len(s.acked), s.number(`SELECT COUNT(*) FROM turn`), taken(), zombie.logged("was not committed", "lease_lost"))
}
