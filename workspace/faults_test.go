package workspace

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
)

// faultKinds are what a system may say to a call, and what the model hears.
var faultKinds = []struct {
	name string
	err  syscall.Errno
	code arc.Code
	only []string // the calls to which a system says it; none: all
}{
	{"the disk is full", syscall.ENOSPC, arc.NoSpace, []string{"create", "mkdir", "write", "rename", "exchange", "sync", "syncdir"}},
	{"the quota is used up", syscall.EDQUOT, arc.NoSpace, []string{"create", "mkdir", "write", "rename", "exchange", "sync", "syncdir"}},
	{"the disk fails", syscall.EIO, arc.IOError, nil},
	{"no more files can be opened", syscall.EMFILE, arc.IOError, []string{"open", "opendir", "create", "readdir", "rename", "exchange", "syncdir"}},
	{"the file system became read-only", syscall.EROFS, arc.PermissionDenied, []string{"create", "mkdir", "write", "rename", "exchange", "remove", "truncate", "chmod"}},
}

// TestEachFaultAtEachCall lets each call of every kind of change fail, once or from
// then on, with each error that a system may have: the caller is told which, the file
// is as it was, or is new if the change was acknowledged, and once the fault is gone
// the same change works.
func TestEachFaultAtEachCall(t *testing.T) {
	first, stride := 1, 1
	for _, k := range faultKinds {
		if *powerCuts < 100 { // what takes long is for who asks for it: a part for each
			first, stride = (first+2)%13+1, 13
		}
		from := first
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			told, made, late := 0, 0, 0
			for _, s := range scenes {
				if len(s.setUp) == 0 && len(s.steps) > 1 {
					continue // the first opening, whose errors are the host's
				}
				for _, lasting := range []bool{false, true} {
					for n, reached := from, true; reached; n += stride {
						w := s.stage(t)
						fits, failed := 0, 0
						w.disk.before = func(call string, _ int) error {
							if len(k.only) > 0 && !slices.Contains(k.only, call) {
								return nil
							}
							if fits++; fits == n || lasting && fits > n {
								failed++
								return halfWay{k.err}
							}
							return nil
						}
						err := s.steps[0](w)
						w.disk.before = nil
						reached = failed > 0
						got, done := w.get(simTarget), 0
						switch {
						case err == nil && got != s.versions[1]:
							t.Fatalf("%s, call %d: acknowledged, and the file is %.20q", s.name, n, got)
						case err == nil:
							made, done = made+1, 1
						case !lasting && got != s.versions[0]:
							t.Fatalf("%s, call %d: refused (%v), and the file is %.20q", s.name, n, err, got)
						default:
							told++
							if got != s.versions[0] {
								late++
							}
							var e *arc.Error
							if !errors.As(err, &e) || e.Code != k.code || e.Message == "" || strings.Contains(e.Message, "simulated") {
								t.Fatalf("%s, call %d, lasting %v: the error is %v", s.name, n, lasting, err)
							}
							err = w.sound()
							// If neither the look at the outcome nor the way back was possible,
							// recovery settles it: then the change is made.
							if err == nil && got == s.versions[0] {
								err = s.steps[0](w)
							}
							if err != nil {
								t.Fatalf("%s, call %d, lasting %v: once the fault is gone: %v", s.name, n, lasting, err)
							}
							done = 1
						}
						w.Close()
						after := w.on(w.disk.state)
						if err := s.check(after, done); err != nil {
							t.Fatalf("%s, call %d, lasting %v: %v", s.name, n, lasting, err)
						}
					}
				}
			}
			t.Logf("%d faults were told, %d of them when the file was new already; a change was made in spite of %d", told, late, made)
		})
	}
}
