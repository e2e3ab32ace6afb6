package proc

import (
	"slices"
	"time"
)

// A Mark is a setting, NAME=value, that stands in the environment of the processes
// of a group, or of all groups of a host, and in no other's. It finds those that have
// left their group: a daemon in a session of its own, the child of a double fork.
// Only Linux lets it look. Who starts with an environment of its own, as env -i gives
// one, or writes over it to show a title, is not found.
type Mark struct {
	Setting string
	Prefix  bool // the value may go on
}

// EndMarked ends t, and whoever carries the mark beside it, on one ladder as [End]
// does: t may be nil. It returns how many are left.
func EndMarked(t Target, m Mark, grace time.Duration, hurry <-chan struct{}) int {
	e := &escaped{group: t, is: m.carriedBy}
	defer e.close()
	return End(e, grace, hurry)
}

// EndWriters ends the processes that hold the write end of p, wherever they are: the
// last way to find who has neither group nor mark any more. Only Linux lets it look.
// It returns how many are left.
func (p *Pipe) EndWriters(grace time.Duration, hurry <-chan struct{}) int {
	name := p.name()
	if name == "" {
		return 0
	}
	e := &escaped{is: func(pid int) bool { return holds(pid, name) }}
	defer e.close()
	return End(e, grace, hurry)
}

// escaped is a group, and the processes outside of it that belong to it all the same.
type escaped struct {
	group Target // nil: none
	is    func(pid int) bool
	found bool
	held  map[int]int // by number, descriptors of those that were signalled
}

// Living looks for those outside once nobody is left inside: that costs more.
func (e *escaped) Living() int {
	if e.group != nil {
		if n := e.group.Living(); n > 0 {
			return n
		}
	}
	n := len(e.outside())
	if n == 0 && e.found { // a fork may have raced the look
		n = len(e.outside())
	}
	e.found = e.found || n > 0
	return n
}

func (e *escaped) Terminate() error { return e.signal(Target.Terminate, false) }

func (e *escaped) Kill() error { return e.signal(Target.Kill, true) }

func (e *escaped) signal(group func(Target) error, kill bool) (err error) {
	if e.group != nil {
		err = group(e.group)
	}
	for _, pid := range e.outside() {
		e.send(pid, kill)
	}
	return err
}

// leads is a group that has a number.
type leads interface{ PID() int }

// outside lists the living processes that are meant and are not in the group's
// session, and those that were signalled already and have not ended: one that is about
// to end carries nothing any more.
func (e *escaped) outside() []int {
	session := 0
	if g, ok := e.group.(leads); ok {
		session = g.PID()
	}
	pids := e.dying()
	for _, pid := range strangers(session, e.is) {
		if !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
