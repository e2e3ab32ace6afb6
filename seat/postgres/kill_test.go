package postgres_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var killFor = flag.Duration("kill-for", 2*time.Second, "how long processes are killed, one each 0.3 s; 20 s or more checks how soon their turns are taken over")

// Of five processes under load one is killed each 0.3 s. Every turn is committed once,
// and every reminder comes once.
func TestKills(t *testing.T) {
	t.Parallel()
	o := orders{URL: url(t), Schema: schema(t), Lease: 2 * time.Second, Work: 100 * time.Millisecond, Timeout: time.Second, Patience: 10 * time.Second, Parallel: 4, Remind: true}
	long := *killFor >= 20*time.Second
	if long {
		o.Lease = 6 * time.Second
	}
	s := newStorm(t, o, 40, 5)
	s.loaded(100*time.Millisecond, func() {
		for end := time.Now().Add(*killFor); time.Now().Before(end); {
			time.Sleep(300 * time.Millisecond)
			s.killOne(rand.IntN(len(s.workers)))
		}
	})
	s.verify()

	// A dead worker's turn is taken over within one and a half leases.
	var longest time.Duration
	resumed := 0
	for turn, list := range s.attempts() {
		for n, a := range list {
			next, ok := list[n+1]
			killed, dead := s.kills[a.w]
			if !ok || !dead || !a.end.IsZero() {
				continue
			}
			resumed++
			took := next.start.Sub(killed)
			longest = max(longest, took)
			if long && took > o.Lease*3/2 {
				t.Errorf("%s: attempt %d began %v after attempt %d was killed", turn, n+1, took, n)
			}
		}
	}
	t.Logf("%d kills, %d prompts, %d turns, %d of them resumed, after %.2f leases at most", len(s.kills), len(s.acked),
		s.number(`SELECT COUNT(*) FROM turn`), resumed, longest.Seconds()/o.Lease.Seconds())
	if resumed == 0 {
		t.Error("no turn was interrupted")
	}
}
