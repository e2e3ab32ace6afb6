package proc

import "time"

// A Mark is that by which those are known who have left a group, or all groups of a host:
// a daemon in a session of its own, the child of a double fork. It is a setting,
// NAME=value, that stands in the environment of the processes of the group and in no
// other's, and beside it, the output that they hold.
//
// Only Linux lets one look. Who starts with an environment of its own, as env -i gives
// one, or writes over it to show a title, is not found by the setting.
type Mark struct {
	Setting string
	Prefix  bool  // the value may go on
	Output  *Pipe // who holds its write end carries the mark as well; nil: none
}

// EndMarked ends t, and whoever carries the mark beside it, on one ladder as [End]
// does: t may be nil. It returns how many are left.
//
// Of who has left, the process group is signalled as a whole, unless somebody is in it
// who does not carry the mark: so one that forks and exits, again and again, is ended too,
// as long as it stays in one group.
func EndMarked(t Target, m Mark, grace time.Duration, hurry <-chan struct{}) int {
	return End(&escaped{group: t, mark: m, held: map[process]stage{}, asked: map[int]bool{}}, grace, hurry)
}

// escaped is a group, and the processes outside of it that belong to it all the same.
type escaped struct {
	group Target // nil: none
	mark  Mark
	stage stage
	held  map[process]stage // outside, that were found and have not ended, and what they were told
	asked map[int]bool      // process groups that were asked to end as a whole
}

// A process is told from all others by its number and its start.
type process struct {
	pid   int
	began uint64
}

// A stage is how far a ladder has come.
type stage uint8

const (
	looking stage = iota
	asking        // to end
	killing
)

// Living looks for those outside once nobody is left inside, nor of those that were found
// before, since that costs more, and says that nobody lives once two looks in a row have
// found nobody: a fork may race one. The output is looked for in the last, which costs
// most. Who is found late is told at once what the others were.
func (e *escaped) Living() int {
	if e.group != nil {
		if n := e.group.Living(); n > 0 {
			return n
		}
	}
	if n := e.known(); n > 0 {
		return n
	}
	if n := e.look(false); n > 0 {
		return n
	}
	return e.look(true)
}

func (e *escaped) Terminate() error { return e.signal(asking, Target.Terminate) }

func (e *escaped) Kill() error { return e.signal(killing, Target.Kill) }

func (e *escaped) signal(to stage, group func(Target) error) (err error) {
	first := e.stage != to
	e.stage = to
	if e.group != nil {
		err = group(e.group)
	}
	e.look(first)
	return err
}

// leads is a group that has a number.
type leads interface{ PID() int }
