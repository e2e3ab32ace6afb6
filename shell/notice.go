package shell

import (
	"fmt"
	"strings"
	"sync"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Notice says that a background job has ended. There is exactly one for each
// job and each way to end, except for a job whose end its seat has already seen.
type Notice struct {
	Origin         arc.Origin // of the call that started it
	JobID, SpoolID string
	Status         string // completed, failed, timed_out, killed
	Text           string // for the model: "[shell-job] job_x completed after 3.2 s (make). …"
}

// notices hands notices to the host, in order, without making anybody wait.
type notices struct {
	notify  func(Notice)
	reaches func(arc.SeatID) bool // nil: all

	mu      sync.Mutex
	queue   []*run
	busy    bool
	working sync.WaitGroup
}

// add queues the notice of r.
func (n *notices) add(r *run) {
	if n.notify == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = append(n.queue, r)
	if !n.busy {
		n.busy = true
		n.working.Go(n.deliver)
	}
}

// deliver tells until there is nothing to tell. It asks late whether a poll has
// shown the end in the meantime.
func (n *notices) deliver() {
	for {
		n.mu.Lock()
		if len(n.queue) == 0 {
			n.busy, n.queue = false, nil
			n.mu.Unlock()
			return
		}
		r := n.queue[0]
		n.queue = n.queue[1:]
		n.mu.Unlock()
		if r.tell() {
			n.notify(r.notice())
		}
		r.wasTold()
	}
}

// reach reports whether there is somebody who can tell a seat.
func (n *notices) reach(seat arc.SeatID) bool {
	return n.notify != nil && (n.reaches == nil || n.reaches(seat))
}

func (n *notices) wait() { n.working.Wait() }

// notice is what there is to say of a job that has ended.
func (r *run) notice() Notice {
	v := r.view()
	how := v.status()
	switch {
	case v.reason != "" && v.reason != reasonTimeout:
		how += " (" + v.reason + ")"
	case v.exit != nil && v.exit.Signal != "":
		how += " (" + v.exit.Signal + ")"
	case v.status() == Failed && v.exit != nil && !v.exit.Unknown:
		how += fmt.Sprintf(" (exit %d)", v.exit.Code)
	}
	if v.reason != reasonRestart { // nobody saw when that was
		how += fmt.Sprintf(" after %.1f s", v.duration(r.started).Seconds())
	}
	text := fmt.Sprintf("[shell-job] %s %s (%s). %s bytes in %s", r.jobID(), how,
		firstLine(r.command, noteRunes), grouped(r.spool.size()), r.id)
	if last := r.lastLine(); last != "" {
		text += "; last line: " + last
	} else {
		text += "."
	}
	if pid := r.straying(); pid != 0 {
		text += fmt.Sprintf(" It may still run, pid %d: its host was killed, and the next could not end it.", pid)
	}
	return Notice{Origin: r.origin, JobID: r.jobID(), SpoolID: r.id, Status: v.status(), Text: text}
}

// lastLine is the last line that the command said, if that can still be read.
func (r *run) lastLine() string {
	m := r.spool.mask()
	b, _, bounds, err := r.spool.lastMasked(m, 1<<10)
	if err != nil || binary(b) {
		return ""
	}
	text, _ := m.clean(b[tailStart(b):], true, bounds.open)
	text = strings.TrimSpace(text)
	return cutRunes(text[strings.LastIndexByte(text, '\n')+1:], commandRunes)
}

// firstLine is the start of a text that may have many lines. Who reads it is not shown
// another text by its control characters, so each is a blank.
func firstLine(s string, max int) string {
	line, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.TrimSpace(strings.Map(func(r rune) rune {
		if special(r) {
			return ' '
		}
		return r
	}, line))
	cut := cutRunes(line, max)
	if more && rest != "" && cut == line {
		cut += " …"
	}
	return cut
}

// cutRunes is the first max characters of s.
func cutRunes(s string, max int) string {
	cut := page.First(s, max)
	if len(cut) < len(s) {
		cut += "…"
	}
	return cut
}
