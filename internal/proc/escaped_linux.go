package proc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchange is how often, and how long, one waits for a process that exchanges its program.
const (
	exchangeLooks = 4
	exchangePause = 50_000 // nanoseconds
)

// carriedBy reports whether a process was started with the setting. The error is
// errBetween, that nobody may see, or that one could not look.
func (m Mark) carriedBy(pid int) (bool, error) {
	if m.Setting == "" {
		return false, nil
	}
	for range exchangeLooks {
		env, err := environ(pid)
		switch {
		case starved(err) || errors.Is(err, fs.ErrPermission):
			return false, err
		case err != nil:
			return false, nil // it has ended
		case len(env) > 0:
			return m.in(env), nil
		}
		s, ok, err := statOf(pid)
		if !ok || !s.between() || !saysWhere() {
			return false, err
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: exchangePause}, nil)
	}
	return false, errBetween
}

// saysWhere reports whether the system says where an environment ends. One that imitates
// Linux may not, and each process without one would be between two programs for ever.
func saysWhere() bool {
	own, ok, err := statOf(os.Getpid())
	return err != nil || ok && own.environ != 0
}

func (m Mark) in(env []byte) bool {
	setting := []byte(m.Setting)
	for rest := env; ; {
		i := bytes.Index(rest, setting)
		if i < 0 {
			return false
		}
		at := len(env) - len(rest) + i
		end := at + len(setting)
		if (at == 0 || env[at-1] == 0) && (m.Prefix || end == len(env) || env[end] == 0) {
			return true
		}
		rest = rest[i+1:]
	}
}

// look finds those outside, signals those that are to be, and says how many live: those
// that are found, and those that were signalled before and have not ended, since one that
// is about to end carries nothing any more. Where it could not look, somebody lives. If
// held is true it looks also for who holds the output.
func (e *escaped) look(held bool) int {
	e.known()
	session, own := -1, sessionOfMine()
	if g, ok := e.group.(leads); ok {
		session = g.PID()
	}
	output := ""
	if held {
		output = e.mark.Output.name() // asked for now: nobody holds one that has ended
	}
	err := each(func(pid int) error {
		sid, err := unix.Getsid(pid)
		if err != nil || sid == session || pid == os.Getpid() {
			return nil
		}
		is, err := e.is(pid, sid != own, output)
		if !is {
			if errors.Is(err, errBetween) && (sid == own || !adopted(pid)) {
				return nil // somebody else's work
			}
			return err
		}
		if is, err := isProcess(pid); !is {
			return err
		}
		return e.found(pid, output)
	})
	if n := len(e.held); n > 0 || !unsure(err) {
		return n
	}
	return 1
}

// adopted reports whether the parent of a process is one that is given the children of the
// dead: this process, or one that it comes from. Of a command that has ended, nobody
// outside has another, but for those whose parent is outside as well.
func adopted(pid int) bool {
	s, ok, err := statOf(pid)
	if !ok || s.ppid <= 1 {
		return ok || err != nil
	}
	for of := os.Getpid(); of > 1; {
		if of == s.ppid {
			return true
		}
		parent, ok, err := statOf(of)
		if !ok {
			return err != nil
		}
		of = parent.ppid
	}
	return false
}

// is reports whether a process is one of those that are meant: by its mark, or, if it is
// in no session of the host's own, where no command is, by the output that it holds.
func (e *escaped) is(pid int, away bool, output string) (bool, error) {
	carries, err := e.mark.carriedBy(pid)
	if carries || starved(err) {
		return carries, err
	}
	if away && output != "" {
		s, ok, no := statOf(pid)
		if !ok || s.began != 0 && s.began < e.mark.Output.began { // it was there before the pipe
			return false, cmp.Or(no, err)
		}
		holds, no := holds(pid, output)
		if holds || starved(no) {
			return holds, no
		}
	}
	return false, err
}

// found keeps a process that is meant, and signals it if it is time. Its number may have
// become another's since it was looked at, so it is looked at again by a descriptor that
// stays with it.
func (e *escaped) found(pid int, output string) error {
	// What is being started has the descriptors of this process for a moment. While the
	// lock is held nothing is.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := unix.PidfdOpen(pid, 0)
	if starved(err) {
		return err
	}
	send := func(sig unix.Signal) { _ = unix.PidfdSendSignal(fd, sig, nil, 0) } // an error: it has ended
	switch {
	case err == nil:
		defer unix.Close(fd)
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM): // an old kernel, a sandbox
		send = func(sig unix.Signal) { _ = unix.Kill(pid, sig) }
	default:
		return nil // it has ended
	}
	s, ok, err := statOf(pid)
	if !ok || s.dead() {
		return err
	}
	if is, err := e.is(pid, true, output); !is {
		return err
	}
	id := process{pid, s.began}
	told := e.held[id]
	e.held[id] = max(told, looking)
	if e.stage == looking || e.stage == asking && told == asking {
		return nil // who is asked twice may leave its work undone
	}
	whole, err := e.signalGroup(s, output)
	if err != nil || whole {
		return err
	}
	send(e.stage.signal())
	if e.stage == asking {
		send(unix.SIGCONT) // one that is stopped hears nothing else
	}
	e.held[id] = e.stage
	return nil
}

func (s stage) signal() unix.Signal {
	if s == killing {
		return unix.SIGKILL
	}
	return unix.SIGTERM
}

// signalGroup signals the group of a process that is meant as a whole, if it may: one that
// forks and exits, again and again, is gone before it can be signalled, and its group is
// not. It spares a group in which anybody is found who is not meant: a service of the
// user's may have been given the environment of a command.
func (e *escaped) signalGroup(of stat, output string) (done bool, err error) {
	if of.sid == sessionOfMine() || of.pgid <= 1 || e.stage == asking && e.asked[of.pgid] {
		return false, nil
	}
	stranger := false
	var members []process
	var unread error
	err = namesIn("/proc", func(name string) bool {
		pid, no := strconv.Atoi(name)
		if no != nil {
			return true
		}
		if pgid, no := unix.Getpgid(pid); no != nil || pgid != of.pgid {
			return true
		}
		is, no := e.is(pid, true, output)
		s, ok, no2 := statOf(pid) // afterwards: one that has ended meanwhile carries nothing
		switch {
		case starved(no) || starved(no2):
			unread = cmp.Or(no, no2)
			return false
		case !ok || s.dead() || s.flags&exiting != 0:
			return true
		}
		stranger = !is
		members = append(members, process{pid, s.began})
		return is
	})
	if err = cmp.Or(unread, err); err != nil || stranger {
		return false, err
	}
	_ = unix.Kill(-of.pgid, e.stage.signal()) // an error: it has ended
	if e.stage == asking {
		_ = unix.Kill(-of.pgid, unix.SIGCONT)
		e.asked[of.pgid] = true
	}
	for _, id := range members {
		e.held[id] = e.stage
	}
	return true, nil
}

// sessionOfMine is the session of this process.
func sessionOfMine() int {
	sid, _ := unix.Getsid(0) // it never fails
	return sid
}

// known counts those that were found and have not ended.
func (e *escaped) known() int {
	_ = roomy(e.forget) // an error: those of whom nobody can tell stay
	return len(e.held)
}

// forget drops those that have ended. It takes their exits where they are this process's
// children, as orphans are where it is process 1 or a subreaper.
func (e *escaped) forget() error {
	for id := range e.held {
		s, ok, err := statOf(id.pid)
		switch {
		case err != nil:
			return err
		case !ok || s.began != id.began:
			delete(e.held, id)
		case s.dead():
			if s.ppid == os.Getpid() {
				_, _ = unix.Wait4(id.pid, nil, unix.WNOHANG, nil)
			}
			delete(e.held, id)
		}
	}
	return nil
}

// ticks is the time that stat tells of a process that begins now, less what is rounded.
func ticks() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return 0
	}
	const perSecond = 100 // whatever the kernel's own clock, it tells these
	return max(1, uint64(t.Nano())/(1e9/perSecond)) - 1
}

// name is what /proc calls the pipe; empty: it has ended, or there is none.
func (p *Pipe) name() string {
	if p == nil {
		return ""
	}
	select {
	case <-p.eof:
		return ""
	default:
	}
	raw, err := p.r.SyscallConn()
	if err != nil {
		return ""
	}
	var stat unix.Stat_t
	err = unix.EBADF
	if no := raw.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &stat) }); no != nil || err != nil {
		return ""
	}
	return fmt.Sprintf("pipe:[%d]", stat.Ino)
}

// maxFiles bounds the descriptors that are looked at of one process.
const maxFiles = 4096

// holds reports whether one of a process's descriptors is the pipe's write end.
func holds(pid int, name string) (found bool, err error) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	buf := make([]byte, len(name)+1)
	left := maxFiles
	err = namesIn(dir, func(fd string) bool {
		path := dir + "/" + fd
		var stat unix.Stat_t
		n, err := unix.Readlink(path, buf)
		found = err == nil && string(buf[:n]) == name && unix.Lstat(path, &stat) == nil && stat.Mode&0o200 != 0
		left--
		return !found && left > 0
	})
	if !starved(err) {
		err = nil // it has ended, or is a stranger's
	}
	return found, err
}
