package postgres_test

import (
	"flag"
	neturl "net/url"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/pgserver"
)

var partitions = flag.Int("partitions", 1, "how often a worker is parted from the server")

// A worker is parted from the server in the middle of its turns, for longer than its lease:
// what it sends is dropped, and nobody tells it. The turns go on elsewhere, the worker
// ends its own part in them before that, and nothing that it has to say of them is
// written once it is back.
func TestAPartition(t *testing.T) {
	t.Parallel()
	u, err := neturl.Parse(url(t))
	if err != nil {
		t.Fatal(err)
	}
	if shared.own == nil {
		t.Skip("the server of ARC_POSTGRES may be reached in other ways than through a proxy")
	}
	o := orders{URL: u.String(), Schema: schema(t), Lease: 2 * time.Second, Work: 400 * time.Millisecond, Timeout: 500 * time.Millisecond, Patience: time.Second, Parallel: 4, Remind: true}
	s := newStorm(t, o, 8, 2)
	p := newProxy(t, u.Host)
	o.URL = pgserver.At(p.addr())
	parted := s.start(o)
	<-parted.ready
	s.loaded(300*time.Millisecond, func() {
		for range *partitions {
			for guard := time.Now().Add(time.Minute); len(parted.said("start")) == len(parted.said("end")); time.Sleep(time.Millisecond) {
				if time.Now().After(guard) {
					t.Error("the worker gets no turn")
					return
				}
			}
			p.partition() // in the middle of a turn
			time.Sleep(2 * o.Lease)
			p.heal()
			time.Sleep(o.Lease)
		}
	})
	s.verify()
	taken := 0
	for turn, list := range s.attempts() {
		for n, a := range list {
			next, ok := list[n+1]
			if !ok || a.w != parted {
				continue
			}
			taken++
			// Both ends are seen by one clock. A busy machine may tell the handler late.
			if a.end.IsZero() || a.end.Sub(next.start) > o.Lease/2 {
				t.Errorf("%s: attempt %d ended at %v and the next began at %v", turn, n, a.end, next.start)
			}
		}
	}
	if taken == 0 {
		t.Error("no turn was taken over from the worker that was parted")
	}
	t.Logf("%d prompts, %d turns, %d of them taken over", len(s.acked), s.number(`SELECT COUNT(*) FROM turn`), taken)
}
