package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// members counts the living processes of session sid and names the process
// groups among them other than sid's own. A zombie does not live: where nobody
// reaps orphans it would keep its group alive for ever.
func members(sid int) (n int, groups []int, err error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0, nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return 0, nil, err
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
		n++
		if pgid != sid && !slices.Contains(groups, pgid) {
			groups = append(groups, pgid)
		}
	}
	if !seen {
		return 0, nil, os.ErrNotExist
	}
	return n, groups, nil
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
