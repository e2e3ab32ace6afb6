package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// members counts the living processes of session sid and names the process
// groups among them other than sid's own.
func members(sid int) (n int, groups []int, err error) {
	err = visit(sid, func(_ string, pgid int) {
		n++
		if pgid != sid && !slices.Contains(groups, pgid) {
			groups = append(groups, pgid)
		}
	})
	return n, groups, err
}

// visit names the living processes of session sid, each with its process group. A
// zombie does not live: where nobody reaps orphans it would keep its group alive for
// ever.
func visit(sid int, each func(pid string, pgid int)) error {
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
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		seen = true
		// Asking is a hundred times quicker than reading the file of a stranger.
		if session, err := unix.Getsid(pid); err != nil || session != sid {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended since
		}
		state, pgid, ok := parseStat(stat)
		if !ok || state == 'Z' || state == 'X' {
			continue
		}
		each(name, pgid)
	}
	if !seen {
		return os.ErrNotExist
	}
	return nil
}

// find looks for the setting in the environments with which the session's members
// were started. It is the members' own in /proc, readable to their user alone.
func find(sid int, setting string) (found, maybe bool) {
	err := visit(sid, func(pid string, _ int) {
		env, err := os.ReadFile("/proc/" + pid + "/environ")
		switch {
		case errors.Is(err, fs.ErrPermission):
			maybe = true
		case err == nil && slices.Contains(strings.Split(string(env), "\x00"), setting):
			found = true
		}
	})
	if err != nil { // as members does then
		return false, lives(sid)
	}
	return found, maybe
}

// parseStat reads the state and the process group from a line of /proc/PID/stat:
// pid (name) state ppid pgrp. The name may hold anything, so the last parenthesis
// counts.
func parseStat(line []byte) (state byte, pgid int, ok bool) {
	i := bytes.LastIndexByte(line, ')')
	if i < 0 {
		return 0, 0, false
	}
	f := bytes.Fields(line[i+1:])
	if len(f) < 3 || len(f[0]) != 1 {
		return 0, 0, false
	}
	pgid, err := strconv.Atoi(string(f[2]))
	return f[0][0], pgid, err == nil
}
