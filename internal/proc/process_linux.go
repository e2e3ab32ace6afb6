package proc

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// What is read of /proc is read by system calls alone: without the runtime's poller, which
// would cost more than the reading, and on a thread that withRoom made as well.

// readProc reads a file of /proc that is mostly no longer than usual.
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

// namesIn calls f with the names in a folder of /proc, until it returns false.
func namesIn(path string, f func(name string) bool) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	buf := make([]byte, 8<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return err
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if !f(name) {
				return nil
			}
		}
	}
}

// environ is the environment that a process was started with. That of a zombie is empty,
// and a stranger's cannot be read.
func environ(pid int) ([]byte, error) {
	return readProc("/proc/"+strconv.Itoa(pid)+"/environ", 8<<10)
}

// A stat is what /proc/PID/stat says of a process.
type stat struct {
	state           byte
	ppid, pgid, sid int
	flags           uint64
	threads         int
	began           uint64 // in ticks since the system did
	environ         uint64 // where its environment ends; 0: it has none, or it may not be known
}

// statOf reads what is said of a process. False: there is none, or an error says why it
// could not be read.
func statOf(pid int) (stat, bool, error) {
	line, err := readProc("/proc/"+strconv.Itoa(pid)+"/stat", 512)
	if err != nil {
		if !starved(err) {
			err = nil // it has ended
		}
		return stat{}, false, err
	}
	s, ok := parseStat(line)
	return s, ok, nil
}

// dead is a zombie. It does not live: where nobody reaps orphans it would keep its
// group alive for ever. One whose first thread has ended before others looks like one.
func (s stat) dead() bool { return s.state == 'X' || s.state == 'Z' && s.threads <= 1 }

// Flags of a stat.
const (
	exiting      = 0x4
	kernelThread = 0x200000
)

// between reports whether a process that shows no environment is exchanging its program
// just now: it will have one again.
func (s stat) between() bool {
	return s.environ == 0 && s.flags&(exiting|kernelThread) == 0 && !s.dead()
}

// The fields after the name, as proc(5) numbers them, less those before.
const (
	fieldFlags   = 9 - 3
	fieldThreads = 20 - 3
	fieldBegan   = 22 - 3
	fieldEnviron = 51 - 3
)

// parseStat reads a line of /proc/PID/stat: pid (name) state ppid pgrp session …. The name
// may hold anything, so the last parenthesis counts.
func parseStat(line []byte) (s stat, ok bool) {
	i := bytes.LastIndexByte(line, ')')
	if i < 0 {
		return s, false
	}
	f := bytes.Fields(line[i+1:])
	if len(f) <= fieldBegan || len(f[0]) != 1 {
		return s, false
	}
	ok = true
	number := func(at int) uint64 {
		if at >= len(f) {
			return 0 // an old kernel
		}
		n, err := strconv.ParseUint(string(f[at]), 10, 64)
		ok = ok && err == nil
		return n
	}
	s = stat{
		state: f[0][0], ppid: int(number(1)), pgid: int(number(2)), sid: int(number(3)),
		flags: number(fieldFlags), threads: int(number(fieldThreads)), began: number(fieldBegan), environ: number(fieldEnviron),
	}
	return s, ok
}

// isProcess tells a process from a thread of one, whose number /proc knows as well.
func isProcess(pid int) (bool, error) {
	b, err := readProc("/proc/"+strconv.Itoa(pid)+"/status", 2<<10)
	if err != nil {
		if !starved(err) {
			err = nil
		}
		return false, err
	}
	_, rest, _ := bytes.Cut(b, []byte("\nTgid:"))
	number, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(bytes.TrimSpace(number)) == strconv.Itoa(pid), nil
}
