package shell

import (
	"fmt"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Notice says that a background job has ended. There is exactly one for each
// job and each way to end, except for a job whose end its seat has already seen.
type Notice struct {
	Origin         arc.Origin // of the call that started it
	JobID, SpoolID string     // as shell_job and shell_output take them
	Status         string     // completed, failed, timed_out, killed
	Text           string     // for the model: "[shell-job] job_x completed after 3.2 s (make). …"
}

// notice is what there is to say of a job that has ended.
func (r *run) notice() Notice {
	v := r.view()
	how := v.status()
	switch {
	case v.reason != "" && v.reason != reasonTimeout:
		how += " (" + v.reason + ")"
	case v.exit != nil && v.exit.Signal != "":
		how += " (" + v.exit.Signal + ")"
	case v.status() == StatusFailed && v.exit != nil && !v.exit.Unknown:
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
