package proc

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A session is who is in one at a look.
type session struct {
	living int
	groups []int // of the living, but for the session's own
	dead   []int // zombies
}

// members looks who is in session sid. If reap is true it takes the exits of those
// that are dead and this process's children, as orphans are where it is process 1 or a
// subreaper: also of those in a process group of their own.
func members(sid int, reap bool) (in session, err error) {
	err = visit(sid, func(pid int, s stat) error {
		switch {
		case !s.dead():
			in.living++
			if s.pgid != sid && !slices.Contains(in.groups, s.pgid) {
				in.groups = append(in.groups, s.pgid)
			}
		case reap && s.ppid == os.Getpid():
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // somebody else's Wait had it: as good
		default:
			in.dead = append(in.dead, pid)
		}
		return nil
	})
	return in, err
}

// living counts who lives in session sid. Who forks and exits, again and again, is at
// no moment of a look where it looks: so where nobody is found, and the system says that
// the group has somebody, only the zombies that were there before explain that. Where one
// cannot look, for want of descriptors even with room, somebody lives.
func living(sid int, reap bool) (int, error) {
	first, err := members(sid, reap)
	if unsure(err) {
		return max(1, first.living), nil
	}
	if err != nil || first.living > 0 || !lives(sid) {
		return first.living, err
	}
	again, err := members(sid, reap)
	if unsure(err) {
		return max(1, again.living), nil
	}
	if err != nil || again.living > 0 || !lives(sid) {
		return again.living, err
	}
	old := func(pid int) bool { return slices.Contains(first.dead, pid) }
	if len(again.dead) > 0 && !slices.ContainsFunc(again.dead, func(pid int) bool { return !old(pid) }) {
		return 0, nil
	}
	return 1, nil
}

// groups are the process groups in session sid other than its own. Without /proc there
// are none.
func groups(sid int) []int {
	in, _ := members(sid, false)
	return in.groups
}

// visit names the processes of session sid, the dead ones too.
func visit(sid int, f func(pid int, s stat) error) error {
	return each(func(pid int) error {
		// Asking is a hundred times quicker than reading the file of a stranger.
		if session, err := unix.Getsid(pid); err != nil || session != sid {
			return nil
		}
		if is, err := isProcess(pid); !is {
			return err
		}
		s, ok, err := statOf(pid)
		if !ok {
			return err
		}
		return f(pid, s)
	})
}

// youngest is how young a leader is of whom emptySince can tell: the numbers cannot have
// gone round since.
const youngest = 100 * time.Millisecond

// emptySince reports whether the session of a leader that began just now, and has ended,
// is surely empty: all that it can have started have numbers between its own and the
// system's last. False says nothing.
func emptySince(leader int, began time.Time) bool {
	if time.Since(began) > youngest {
		return false
	}
	last, err := lastNumber()
	if err != nil || last < leader || last-leader > fewNumbers {
		return false
	}
	for pid := leader + 1; pid <= last; pid++ {
		if sid, err := unix.Getsid(pid); err == nil && sid == leader {
			return false
		}
	}
	return time.Since(began) <= youngest && !lives(leader) // one may have forked and exited meanwhile
}

// find looks for the setting in the environments with which the session's members
// were started. It is the members' own in /proc, readable to their user alone.
func find(sid int, setting string) (found, maybe bool) {
	mark := Mark{Setting: setting}
	err := visit(sid, func(pid int, _ stat) error {
		carries, err := mark.carriedBy(pid)
		maybe = maybe || errors.Is(err, fs.ErrPermission) || errors.Is(err, errBetween)
		found = found || carries
		return err
	})
	if err != nil && !errors.Is(err, errBetween) { // as members does then
		maybe = lives(sid)
	}
	return found, maybe && !found
}
