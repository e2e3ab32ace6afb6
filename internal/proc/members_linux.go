package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
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
	err = visit(sid, func(pid int, s stat) {
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
	})
	return in, err
}

// living counts who lives in session sid. Who forks and exits, again and again, is at
// no moment of a look where it looks: so where nobody is found, and the system says that
// the group has somebody, only the zombies that were there before explain that.
func living(sid int, reap bool) (int, error) {
	first, err := members(sid, reap)
	if err != nil || first.living > 0 || !lives(sid) {
		return first.living, err
	}
	again, err := members(sid, reap)
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

// each calls f with the number of every process.
func each(f func(pid int)) error {
	proc, err := os.Open("/proc")
	if err != nil {
		return err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return err
	}
	seen := false // a /proc that shows no process at all is not to be believed
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			seen = true
			f(pid)
		}
	}
	if !seen {
		return os.ErrNotExist
	}
	return nil
}

// visit names the processes of session sid, the dead ones too.
func visit(sid int, f func(pid int, s stat)) error {
	return each(func(pid int) {
		if s, ok := inSession(pid, sid); ok {
			f(pid, s)
		}
	})
}

// Bounds of emptySince: within them, numbers cannot have gone round, and asking for each
// costs less than reading the list of all processes.
const (
	youngest  = 100 * time.Millisecond
	fewNumber = 4096
)

// emptySince reports whether the session of a leader that began just now, and has ended,
// is surely empty: all that it can have started have numbers between its own and the
// system's last. False says nothing.
func emptySince(leader int, began time.Time) bool {
	if time.Since(began) > youngest {
		return false
	}
	b, err := readProc("/proc/loadavg", 128) // ends in the last number that was given away
	if err != nil {
		return false
	}
	f := bytes.Fields(b)
	if len(f) == 0 {
		return false
	}
	last, err := strconv.Atoi(string(f[len(f)-1]))
	if err != nil || last < leader || last-leader > fewNumber {
		return false
	}
	for pid := leader + 1; pid <= last; pid++ {
		if sid, err := unix.Getsid(pid); err == nil && sid == leader {
			return false
		}
	}
	return time.Since(began) <= youngest && !lives(leader) // one may have forked and exited meanwhile
}

// inSession is what is known of a process, if it is one of the session.
func inSession(pid, sid int) (stat, bool) {
	// Asking is a hundred times quicker than reading the file of a stranger.
	if session, err := unix.Getsid(pid); err != nil || session != sid {
		return stat{}, false
	}
	line, err := readProc("/proc/"+strconv.Itoa(pid)+"/stat", 512)
	if err != nil {
		return stat{}, false // it has ended since
	}
	return parseStat(line)
}

// find looks for the setting in the environments with which the session's members
// were started. It is the members' own in /proc, readable to their user alone.
func find(sid int, setting string) (found, maybe bool) {
	err := visit(sid, func(pid int, _ stat) {
		env, err := environ(pid)
		switch {
		case errors.Is(err, fs.ErrPermission):
			maybe = true
		case err == nil && (Mark{Setting: setting}).in(env):
			found = true
		}
	})
	if err != nil { // as members does then
		return false, lives(sid)
	}
	return found, maybe
}

// A stat is what /proc/PID/stat says of a process.
type stat struct {
	state      byte
	ppid, pgid int
}

// dead is a zombie. It does not live: where nobody reaps orphans it would keep its
// group alive for ever.
func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' }

// parseStat reads a line of /proc/PID/stat: pid (name) state ppid pgrp. The name may
// hold anything, so the last parenthesis counts.
func parseStat(line []byte) (stat, bool) {
	i := bytes.LastIndexByte(line, ')')
	if i < 0 {
		return stat{}, false
	}
	f := bytes.Fields(line[i+1:])
	if len(f) < 3 || len(f[0]) != 1 {
		return stat{}, false
	}
	ppid, err := strconv.Atoi(string(f[1]))
	pgid, err2 := strconv.Atoi(string(f[2]))
	return stat{f[0][0], ppid, pgid}, err == nil && err2 == nil
}
