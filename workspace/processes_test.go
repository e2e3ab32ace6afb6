package workspace

import (
	"flag"
	"fmt"
	"io"
	"testing"

	"github.com/arcseat/arc"
)

var processChanges = flag.Int("changes", 240, "changes that TestProcessesShareAWorkspace makes, with two processes and again with eight")

// TestProcessesShareAWorkspace has several processes change one project at once, each
// a file of its own and all of them one that they count up: no update is lost, the
// chain is whole, and each change says whose it is.
func TestProcessesShareAWorkspace(t *testing.T) {
	for _, n := range []int{2, 8} {
		t.Run(fmt.Sprintf("%d processes", n), func(t *testing.T) {
			p := newProject(t, nil)
			each := *processChanges / n / 2
			var waits []func()
			for seat := range n {
				cmd, out := child{Job: "count", Dir: p.dir, State: p.state, Seat: seat, Changes: each}.start(t)
				waits = append(waits, func() {
					io.Copy(io.Discard, out)
					if err := cmd.Wait(); err != nil {
						t.Errorf("process %d: %v", seat, err)
					}
				})
			}
			for _, wait := range waits {
				wait()
			}
			if got, want := p.get("shared"), fmt.Sprint(n*each); got != want {
				t.Errorf("the shared file was counted to %s, want %s", got, want)
			}
			p.open(&Options{KeepChanges: 1_000_000})
			if r := p.status(); r.Status != "clean" || r.Journal.Changes != 2*n*each {
				t.Fatalf("status is %+v", r)
			}
			count := map[string]int{} // what each file was counted to, as the journal has it
			whose := map[arc.SeatID]int{}
			for _, c := range p.journal.changes {
				if c.end == typeAbort {
					continue
				}
				path := string(c.Real)
				count[path]++
				if c.Origin == nil || string(c.Origin.Turn) != path || c.Origin.Call != fmt.Sprint(count[path]) || c.afterHash() != hashOf([]byte(c.Origin.Call)) {
					t.Fatalf("change %d of %s is %+v of %+v", count[path], path, c, c.Origin)
				}
				if path != "shared" && path != "own"+string(c.Origin.Seat) {
					t.Fatalf("%s was changed by %s", path, c.Origin.Seat)
				}
				whose[c.Origin.Seat]++
			}
			if count["shared"] != n*each || len(whose) != n {
				t.Errorf("the journal has %d changes of the shared file, by %v", count["shared"], whose)
			}
			for seat, changes := range whose {
				if changes != 2*each {
					t.Errorf("%d changes are of %s, want %d", changes, seat, 2*each)
				}
			}
			t.Logf("%d changes", len(p.journal.changes))
		})
	}
}
