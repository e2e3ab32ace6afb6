package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// errBetween says that a process was exchanging its program, and showed neither the old
// one's environment nor the new one's.
var errBetween = errors.New("proc: a process is between two programs")

// unsure reports whether a look that found nobody may have passed somebody by.
func unsure(err error) bool { return starved(err) || errors.Is(err, errBetween) }

// each calls f with the number of every process, once, also of those that begin meanwhile:
// who forks and exits, again and again, is mostly younger than a list. Numbers of threads,
// and such as are not there any more, may be among them. Where the process has no descriptor left,
// it looks again with room, at those of whom f could not tell. The error is the first
// that leaves something unknown; any other is that there is no /proc.
func each(f func(pid int) error) error {
	w := &walk{f: f, seen: map[int]bool{}}
	return roomy(w.run)
}

type walk struct {
	f       func(pid int) error
	seen    map[int]bool
	unknown error // the first
}

func (w *walk) run() error {
	w.unknown = nil
	last, err := lastNumber()
	if starved(err) {
		return err
	}
	var pids []int
	err = namesIn("/proc", func(name string) bool {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
		return true
	})
	if err != nil {
		return err
	}
	if len(pids) == 0 {
		return os.ErrNotExist // a /proc that shows no process at all is not to be believed
	}
	for _, pid := range pids {
		w.visit(pid)
	}
	w.chase(last)
	return w.unknown
}

func (w *walk) visit(pid int) {
	if w.seen[pid] {
		return
	}
	if err := w.f(pid); unsure(err) {
		if w.unknown == nil {
			w.unknown = err
		}
		return
	}
	w.seen[pid] = true
}

// fewNumbers are so few that to ask for each costs less than to read the list of all
// processes, and the numbers cannot have gone round meanwhile.
const fewNumbers = 4096

// chase visits who has begun since the last number was given away, until nobody has.
func (w *walk) chase(last int) {
	for left := fewNumbers; last > 0; {
		now, err := lastNumber()
		if err != nil || now <= last || now-last > left {
			return // nobody; or they have gone round, or are too many: a next look has them
		}
		left -= now - last
		for pid := last + 1; pid <= now; pid++ {
			w.visit(pid)
		}
		last = now
	}
}

// lastNumber is the number that the system gave away last, to a process or a thread. 0:
// it does not say.
func lastNumber() (int, error) {
	b, err := readProc("/proc/loadavg", 128) // ends in it
	if err != nil {
		return 0, err
	}
	f := bytes.Fields(b)
	if len(f) == 0 {
		return 0, nil
	}
	n, err := strconv.Atoi(string(f[len(f)-1]))
	if err != nil {
		return 0, nil
	}
	return n, nil
}
