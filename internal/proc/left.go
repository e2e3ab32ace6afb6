package proc

import (
	"errors"
	"os"
)

// errAnothers is why nobody knows how the leader of a group that was found has ended.
var errAnothers = errors.New("proc: another process has started it")

// Find finds what another host, which is gone, has left of a group: pid was its
// leader, and setting, NAME=value, stood in the environment that the group was given
// and in no other's. A number alone is not enough: since then it may have become a
// stranger's. Nil: nothing is left, or, where maybe is true, a process of that number
// lives and nobody can tell whose it is, which is so wherever it is not Linux.
//
// The group's leader counts as ended; End ends whoever is left.
func Find(pid int, setting string) (g *Group, maybe bool) {
	if pid <= 0 {
		return nil, false
	}
	found, maybe := find(pid, setting)
	if !found {
		return nil, maybe
	}
	g = &Group{leader: &os.Process{Pid: pid}, done: make(chan struct{}), exit: Exit{Code: -1, Err: errAnothers}}
	close(g.done)
	return g, false
}
