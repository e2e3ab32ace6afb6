package workspace

import (
	"slices"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
)

// TestAPowerCutAfterAChangeThatIsMadeAgain kills the process before each effect of a
// change, lets another one recover and make the same change, and cuts the power as
// soon as that is acknowledged: what the first one left unsynced the second one finds
// there, and must not rest on.
func TestAPowerCutAfterAChangeThatIsMadeAgain(t *testing.T) {
	for _, s := range scenes {
		if len(s.steps) > 1 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			seen := &cuts{seen: map[string]bool{}}
			stride := 1
			if *powerCuts < 100 {
				stride = 3 // what takes long is for who asks for it
			}
			for lives := 0; ; lives += stride {
				w := s.stage(t)
				base := slices.Clone(w.disk.state)
				w.disk.log = nil
				l := newLife(lives)
				w.disk.before = l.beforeEffect
				s.steps[0](w)
				w.Close()
				if !l.over() {
					break
				}
				w.Workspace, w.disk.before = nil, nil
				w.must((*simWorld).open)
				if w.get(simTarget) != s.versions[1] {
					w.must(s.steps[0])
				}
				w.Close()
				log := blobsFirst(w.disk.log, blobNodes(w.disk.state))
				seen.at(base, log, func(disk simState, fates []fate) {
					if !seen.isNew(disk, 1) {
						return
					}
					if err := s.check(w.on(disk), 1); err != nil {
						t.Fatalf("killed after %d effects, of %d in the end, with fates %v: %v", lives, len(log), fates, err)
					}
				})
			}
			t.Logf("%d combinations, %d of them looked at, %d different disks", seen.possible, seen.made, len(seen.seen))
		})
	}
}

// TestAPowerCutAfterASyncThatFailed: what a disk could not take when it was synced,
// later syncs of the same file do not try again, though it reads back.
func TestAPowerCutAfterASyncThatFailed(t *testing.T) {
	t.Parallel()
	w := newSimWorld(t, Options{})
	w.put(simTarget, "0")
	w.put("bystander", "untouched")
	w.must(save("1"))
	base := slices.Clone(w.disk.state)
	w.disk.log = nil
	w.disk.before = func(call string, _ int) error {
		if call == "sync" {
			return syscall.EIO
		}
		return nil
	}
	journal := w.journal.file.(*simFile).node
	wantCode(t, save("2")(w), arc.IOError)
	w.disk.before = nil
	dropped := len(w.disk.log)
	for _, content := range []string{"3", "4", "5"} {
		if err := save(content)(w); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	disk := slices.Clone(base)
	for i := range w.disk.log {
		f := kept
		if e := &w.disk.log[i]; i < dropped && e.node == journal && e.kind == wrote {
			f = zeroed
		}
		disk = disk.do(&w.disk.log[i], i, f)
	}
	after := w.on(disk)
	after.must((*simWorld).open)
	if err := after.sound(); err != nil || after.get(simTarget) != "5" {
		t.Fatalf("%v, and the file is %q", err, after.get(simTarget))
	}
	after.must(undoLast)
	if got := after.get(simTarget); got != "4" {
		t.Errorf("undone, the file is %q", got)
	}
	after.Close()
}
