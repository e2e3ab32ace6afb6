package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// strangers lists the living processes that is holds of, but for this one and the
// members of a session.
func strangers(session int, is func(pid int) bool) (pids []int) {
	_ = each(func(pid int) { // without /proc nobody is found
		if pid == os.Getpid() || !is(pid) {
			return
		}
		if s, err := unix.Getsid(pid); err == nil && (session == 0 || s != session) {
			pids = append(pids, pid)
		}
	})
	return pids
}

// carriedBy reads the environment that a process was started with. That of a zombie
// is empty, and a stranger's cannot be read.
func (m Mark) carriedBy(pid int) bool {
	env, err := environ(pid)
	return err == nil && m.in(env)
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

// environ is /proc/PID/environ.
func environ(pid int) ([]byte, error) {
	return readProc("/proc/"+strconv.Itoa(pid)+"/environ", 8<<10)
}

// readProc reads a file of /proc that is mostly no longer than usual. It does so without
// the runtime's poller, which would cost more than the reading: a sweep reads one file of
// every process, and each command one.
func readProc(path string, usual int) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	b := make([]byte, 0, usual)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := unix.Read(fd, b[len(b):cap(b)])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, err
		case n == 0:
			return b, nil
		default:
			b = b[:len(b)+n]
		}
	}
}

// maxHeld bounds the descriptors of a sweep.
const maxHeld = 64

// send signals a process that is meant. Its number may have become another's since it
// was looked at, so it is looked at again by a descriptor that stays with it.
func (e *escaped) send(pid int, kill bool) {
	sig := unix.SIGTERM
	if kill {
		sig = unix.SIGKILL
	}
	fd, known := e.held[pid]
	if !known {
		var err error
		if fd, err = unix.PidfdOpen(pid, 0); err != nil {
			if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, a sandbox
				_ = unix.Kill(pid, sig)
			}
			return
		}
		if !e.is(pid) {
			unix.Close(fd)
			return
		}
		if len(e.held) < maxHeld {
			if e.held == nil {
				e.held = map[int]int{}
			}
			e.held[pid] = fd
		} else {
			defer unix.Close(fd)
		}
	}
	_ = unix.PidfdSendSignal(fd, sig, nil, 0) // an error: it has ended
}

// dying lists those that were signalled and have not ended, and forgets the others. It
// takes their exits where they are this process's children, as orphans are where it is
// process 1 or a subreaper: a descriptor names one process and no successor, so nobody
// else's child is taken.
func (e *escaped) dying() (pids []int) {
	for pid, fd := range e.held {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(p, 0); err == nil && n == 0 {
			pids = append(pids, pid)
			continue
		}
		_ = unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG, nil) // mostly: no child of ours
		unix.Close(fd)
		delete(e.held, pid)
	}
	return pids
}

func (e *escaped) close() {
	e.dying()
	for _, fd := range e.held {
		unix.Close(fd)
	}
}

// name is what /proc calls the pipe.
func (p *Pipe) name() string {
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

// holds reports whether one of a process's descriptors is the pipe's write end. The
// reading end is this process's, and for a moment that of each child it starts.
func holds(pid int, name string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.Open(dir)
	if err != nil {
		return false // it has ended, or is a stranger's
	}
	defer files.Close()
	fds, _ := files.Readdirnames(maxFiles) // an error: none, or it has ended meanwhile
	buf := make([]byte, len(name)+1)
	for _, fd := range fds {
		path := dir + "/" + fd
		var stat unix.Stat_t
		n, err := unix.Readlink(path, buf)
		if err == nil && string(buf[:n]) == name && unix.Lstat(path, &stat) == nil && stat.Mode&0o200 != 0 {
			return true
		}
	}
	return false
}
