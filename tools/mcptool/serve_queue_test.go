package mcptool

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/arcseat/arc"
)

// TestTheQueueRunsABatch compares what runs with what the rules say, after each step of
// calls that come and go.
func TestTheQueueRunsABatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var in []*place
		runs := func(p *place) bool {
			select {
			case <-p.ready:
				return true
			default:
				return false
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				p, err := q.join(rapid.Bool().Draw(t, "reads"))
				if full := len(in) == maxCalls; full != (err != nil) {
					t.Fatalf("with %d calls: %v", len(in), err)
				}
				if err != nil {
					if err.Code != arc.LimitReached {
						t.Fatal(err)
					}
					return
				}
				in = append(in, p)
			},
			"leave": func(t *rapid.T) {
				if len(in) == 0 {
					return
				}
				i := rapid.IntRange(0, len(in)-1).Draw(t, "which")
				in[i].leave() // also one that was taken back before it ran
				in = append(in[:i:i], in[i+1:]...)
			},
			"": func(t *rapid.T) {
				reading, waits := 0, false
				for i, p := range in {
					want := !waits && (p.reads && reading < maxReading || !p.reads && i == 0)
					if runs(p) != want {
						t.Fatalf("call %d of %d, reads %v: runs %v, want %v", i, len(in), p.reads, runs(p), want)
					}
					if want {
						reading++
					}
					waits = waits || !want || !p.reads
				}
			},
		})
	})
}

func TestAPlaceIsGivenUpWithItsContext(t *testing.T) {
	t.Parallel()
	var q queue
	first, _ := q.join(false)
	second, _ := q.join(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := second.wait(ctx); err == nil {
		t.Error("it is waited for")
	}
	second.leave()
	first.leave()
	if p, err := q.join(false); err != nil || p.wait(t.Context()) != nil {
		t.Error("the queue is stuck")
	}
}
