//go:build unix

package proc

import (
	"math"
	"os"
	"strconv"
)

// watchScript is for any POSIX shell. Its arguments are the grace in seconds and the
// common mark; descriptor 3 is the list. Where there is no /proc, or no grep to read it
// with, it knows groups alone. The shell itself would read a file of /proc a byte at a
// time. It looks until it has found nobody twice: a fork may race a look. A group is
// killed as a whole as well, since who forks and exits again and again is never where one
// looks; one that was seen empty no more, for its number may be another's.
const watchScript = `
trap '' HUP INT QUIT TERM PIPE TSTP
grace=$1 common=$2
IFS= read -r word
[ "$word" = done ] && exit
groups= sessions= marks=$common
while read -r group mark; do
	[ "$group" -gt 0 ] || continue
	[ "$group" -eq 1 ] || groups="$groups $group" sessions="$sessions|$group" # 1: not known yet
	[ -n "$common" ] || [ "$mark" = - ] || marks="$marks $mark"
done <&3
look() {
	pids= living=
	for group in $groups; do
		kill -s 0 -- "-$group" 2>/dev/null && living="$living $group"
	done
	groups=$living
	if ! [ -r /proc/self/stat ] || ! command -v grep >/dev/null; then
		for group in $groups; do pids="$pids -$group"; done
		return
	fi
	if [ -n "$sessions" ]; then # PID (NAME) STATE PPID PGRP SESSION
		found $(grep -lsE "\) [^ZX] [0-9]+ [0-9]+ (${sessions#|}) " /proc/[0-9]*/stat)
	fi
	set --
	for mark in $marks; do set -- "$@" -e "$mark"; done
	[ $# -eq 0 ] || found $(grep -lsF "$@" /proc/[0-9]*/environ)
}
found() {
	for file in "$@"; do
		file=${file%/*}
		pid=${file#/proc/}
		case "$pids " in *" $pid "*) ;; *) pids="$pids $pid" ;; esac
	done
}
send() {
	for pid in $pids; do kill -s "$1" -- "$pid" 2>/dev/null; done
	[ "$1" = KILL ] || return
	for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
}
rest() { sleep 0.1 2>/dev/null || sleep 1; }
look
send TERM
send CONT # who is stopped hears nothing else
i=0
while [ -n "$pids" ] && [ $i -lt $((grace * 10)) ]; do
	rest
	look
	i=$((i + 1))
done
i=0 empty=0
while [ $empty -lt 2 ] && [ $i -lt 200 ]; do
	if [ -n "$pids" ]; then empty=0; else empty=$((empty + 1)); rest; fi
	send KILL
	look
	i=$((i + 1))
done
`

// start begins the watch. The caller holds mu. The shell's own environment holds no
// mark, or it would end itself.
func (w *Watch) start() error {
	r, lifeline, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	if w.list == nil {
		if w.list, err = File(""); err != nil {
			lifeline.Close()
			return err
		}
	}
	grace := strconv.Itoa(int(math.Ceil(w.grace.Seconds())))
	w.shell, err = Start(Command{
		Argv: []string{"/bin/sh", "-c", watchScript, "arc-watch", grace, w.mark.Setting},
		Dir:  "/", Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Stdin: r, Extra: []*os.File{w.list},
	})
	if err != nil {
		lifeline.Close()
		return err
	}
	w.lifeline = lifeline
	return nil
}
