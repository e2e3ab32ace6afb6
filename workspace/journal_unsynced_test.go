package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestAFaultWhileAnothersIntentIsMadeSure lets a process die behind its intent, and
// another, which has the journal open, come upon it with a fault at each call, while
// it writes the segment anew too: what that one acknowledges is in the journal that
// the next process reads, and what it refuses is not done.
func TestAFaultWhileAnothersIntentIsMadeSure(t *testing.T) {
	t.Parallel()
	faults := []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS}
	if *powerCuts < 100 {
		faults = faults[:1]
	}
	for _, fault := range faults {
		acknowledged, renewed := 0, false
		for n, reached := 1, true; reached; n++ {
			living := newSimWorld(t, Options{})
			living.put("bystander", "untouched")
			living.must(save("1"))
			dying := &simWorld{t: t, disk: living.disk, locks: living.locks}
			dying.must()
			syncs := 0
			living.disk.before = func(call string, _ int) error {
				if call == "sync" {
					syncs++
				}
				if syncs > 1 && call != "sync" { // the intent is there, and nothing behind it
					return syscall.EIO
				}
				return nil
			}
			if save("never")(dying) == nil {
				t.Fatal("the process that is to die made its change")
			}
			dying.Close()
			calls, was := 0, living.journal.segs
			_, before := living.disk.state[simJournal].find(segmentName(was[0].n))
			living.disk.before = func(string, int) error {
				if calls++; calls == n {
					return fault
				}
				return nil
			}
			want := living.get(simTarget)
			if err := save("2")(living); err != nil {
				_ = err
			} else {
				acknowledged++
				want = "2"
			}
			reached = calls >= n
			living.disk.before = nil
			_, now := living.disk.state[simJournal].find(segmentName(was[0].n))
			renewed = renewed || now != before
			next := living.on(slices.Clone(living.disk.state))
			next.must()
			if err := next.sound(); err != nil {
				t.Errorf("%v at call %d: %v", fault, n, err)
			} else if got := next.get(simTarget); got != want {
				t.Errorf("%v at call %d: the file is %q, want %q", fault, n, got, want)
			} else if err := undoLast(next); err != nil {
				t.Errorf("%v at call %d: %v", fault, n, err)
			}
			living.Close()
			next.Close()
		}
		if acknowledged == 0 || !renewed {
			t.Errorf("%v: %d changes were acknowledged, and that a segment was written anew is %v", fault, acknowledged, renewed)
		}
	}
}

// TestAForgedUnsyncedMark: whoever can write to the journal's folder may put the mark
// there, with or without a key.
func TestAForgedUnsyncedMark(t *testing.T) {
	t.Parallel()
	for _, key := range [][]byte{nil, []byte("0123456789abcdef0123456789abcdef")} {
		p := &project{t: t, dir: t.TempDir(), state: t.TempDir()}
		p.open(&Options{Key: key})
		p.busy()
		mark := filepath.Join(p.state, "journal", unsyncedMark)
		// As a file it costs a segment's writing, and goes.
		if err := os.WriteFile(mark, []byte("forged"), 0o600); err != nil {
			t.Fatal(err)
		}
		if s := p.status(); s.Blocked {
			t.Errorf("with a file at its name the status is %+v", s)
		}
		if _, err := os.Lstat(mark); !os.IsNotExist(err) {
			t.Errorf("the mark is still there: %v", err)
		}
		// As anything else it could not go: that is the host's to settle.
		if err := os.MkdirAll(filepath.Join(mark, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		if s := p.status(); !s.Blocked || len(s.Tampered) != 1 || s.Tampered[0].Reason != "UNSYNCED is of another kind than it was" {
			t.Errorf("with a directory at its name the status is %+v", s)
		}
		if err := p.AcceptJournal(ctx, "a test"); err != nil {
			t.Error(err)
		}
		if s := p.status(); s.Blocked {
			t.Errorf("once accepted the status is %+v", s)
		}
	}
}
