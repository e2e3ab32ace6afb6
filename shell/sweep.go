package shell

import "github.com/arcseat/arc/internal/proc"

// A Sweep says what becomes of processes that have left the group of their command, as
// a daemon does that starts a session of its own. A command that ends by itself leaves
// them alone, as a terminal would. They are found by ARC_JOB in their environment, on
// Linux alone; one that was started without it, as env -i does, is found only while it
// holds the command's output.
type Sweep uint8

// What becomes of those who left.
const (
	SweepOnShutdown Sweep = iota // ended with a command that is ended, at Close, and when the host is killed
	SweepOnKill                  // ended with a command that is ended; what a finished command has left is let be
	SweepNever                   // never ended
)

// end ends a command's group, and who has left it as far as that is wanted: output is what
// such a one may hold still; nil: nothing. It returns how many are left.
func (s *Shell) end(g proc.Target, job string, output *proc.Pipe) int {
	if s.sweep == SweepNever {
		if g == nil {
			return 0
		}
		return proc.End(g, s.limits.Grace, s.hurry)
	}
	return proc.EndMarked(g, proc.Mark{Setting: marker(job), Output: output}, s.limits.Grace, s.hurry)
}

// sweepUp ends what finished commands have left, at the end of the Shell.
func (s *Shell) sweepUp() {
	if s.sweep == SweepOnShutdown {
		s.sweepHost(s.store.Owner())
	}
}

// sweepHost ends what commands of a host have left, this one or one that was killed.
func (s *Shell) sweepHost(owner string) {
	if n := proc.EndMarked(nil, markOf(owner), s.limits.Grace, s.hurry); n > 0 {
		s.log.Error("processes that commands have left could not be ended", "processes", n)
	}
}

// markOf is what all commands of a host carry.
func markOf(owner string) proc.Mark {
	return proc.Mark{Setting: marker(owner + "."), Prefix: true}
}

// newWatch makes the watch that ends what this host leaves if it is killed.
func (s *Shell) newWatch() *proc.Watch {
	var common proc.Mark
	if s.sweep == SweepOnShutdown {
		common = markOf(s.store.Owner())
	}
	return proc.NewWatch(common, s.limits.Grace)
}

// expect puts a run that is about to start on the watch's list, and returns what is to be
// called with its group once it has, or with 0.
func (s *Shell) expect(r *run) (began func(group int)) {
	setting := marker(r.job())
	warn := func(err error) {
		if err != nil {
			s.log.Warn("a command is not watched over: it lives on if the host is killed", "spool", r.id, "error", err)
		}
	}
	if s.sweep == SweepOnShutdown { // the mark of all commands finds one that has just begun
		return func(group int) { warn(s.watch.Add(group, setting)) }
	}
	place, err := s.watch.Expect(setting)
	warn(err)
	if s.sweep == SweepNever {
		setting = ""
	}
	return func(group int) { warn(place(group, setting)) }
}
