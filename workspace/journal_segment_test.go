package workspace

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// A segment whose name could not be made durable takes no change before it has been
// written anew: a power cut would take with it what was acknowledged.
func TestASegmentThatAPowerCutWouldTakeHoldsNoChange(t *testing.T) {
	w := newSimWorld(t, crowded)
	w.put(simTarget, "0")
	w.put("bystander", "untouched")
	base := slices.Clone(w.disk.state)
	w.disk.log = nil
	w.must((*simWorld).open)
	failed := 0
	w.disk.before = func(call string, _ int) error {
		last := w.disk.log[max(0, len(w.disk.log)-2):] // a segment's header, and its sync
		if call == "syncdir" && len(last) == 2 && last[0].kind == wrote && last[1].kind == synced {
			failed++
			return syscall.EIO
		}
		return nil
	}
	for i := range 12 { // until a segment is full
		if save(fmt.Sprint("first ", i))(w) != nil {
			break
		}
	}
	w.disk.before = nil
	if failed != 1 {
		t.Fatalf("%d syncs of the journal's folder failed", failed)
	}
	w.must(save("2"), save("3"))
	disk := slices.Clone(base)
	for i := range w.disk.log {
		e, f := &w.disk.log[i], kept
		if !slices.ContainsFunc(w.disk.log[i:], func(s effect) bool { return s.kind == synced && s.node == e.node }) {
			f = absent
		}
		disk = disk.do(e, i, f)
	}
	w.Close()
	after := w.on(disk)
	after.must((*simWorld).open)
	defer after.Close()
	if err := after.sound(); err != nil || after.get(simTarget) != "3" {
		t.Errorf("%v, and the file is %q", err, after.get(simTarget))
	}
}
