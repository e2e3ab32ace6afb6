package workspace

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// TestAPowerCutAfterASyncThatFailedAndARestart lets each sync of a run of changes fail,
// restarts the process, makes two more changes, and cuts the power: what the sync could
// not write was read back by the process that came after, is gone now, and must not have
// been built upon. In the second run the process dies with the sync, and marks nothing.
func TestAPowerCutAfterASyncThatFailedAndARestart(t *testing.T) {
	for _, dies := range []bool{false, true} {
		t.Run(fmt.Sprintf("and the process dies at once: %v", dies), func(t *testing.T) {
			t.Parallel()
			lost := 0
			first := 1
			if dies {
				first = 2 // the first is for what the process before left loose, and leaves no trace
			}
			for n, reached := first, true; reached; n++ {
				w := newSimWorld(t, crowded)
				w.put(simTarget, "0")
				w.put("bystander", "untouched")
				base := slices.Clone(w.disk.state)
				w.disk.log = nil
				w.must(save("1"))
				w.must() // another process
				syncs := 0
				w.disk.before = func(call string, _ int) error {
					if call == "sync" {
						syncs++
					}
					if syncs == n && call == "sync" || syncs >= n && dies {
						return syscall.EIO
					}
					return nil
				}
				for i := range 6 { // among them a prune and new segments
					if save(fmt.Sprint("first ", i))(w) != nil {
						break
					}
				}
				reached = syncs >= n
				w.Close()
				w.Workspace, w.disk.before = nil, nil
				w.must(save("2"), save("3"))
				w.Close()
				disk := slices.Clone(base)
				for i := range w.disk.log {
					f := kept
					if w.disk.lost(i) {
						f, lost = zeroed, lost+1
					}
					disk = disk.do(&w.disk.log[i], i, f)
				}
				after := w.on(disk)
				after.must((*simWorld).open)
				if err := after.sound(); err != nil || after.get(simTarget) != "3" {
					t.Fatalf("sync %d failed: %v, and the file is %q", n, err, after.get(simTarget))
				}
				after.must(undoLast)
				if got := after.get(simTarget); got != "2" {
					t.Errorf("sync %d failed: undone, the file is %q", n, got)
				}
				after.Close()
			}
			t.Logf("%d writes were lost", lost)
			if lost < 20 {
				t.Errorf("only %d writes were lost", lost)
			}
		})
	}
}
