package shell

import (
	"encoding/json"
	"os"
	"time"

	"github.com/arcseat/arc/internal/retain"
)

// A record is what the state directory keeps of a run beside its output.
type record struct {
	Command string    `json:"command"`
	Job     bool      `json:"job,omitempty"`
	Status  string    `json:"status"`
	Exit    *Exit     `json:"exit,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	PID     int       `json:"pid,omitempty"`
	Head    int64     `json:"head"` // bytes of the file that are the output's first
	Tail    int64     `json:"tail"` // bytes of the file that are the output's last
	Total   int64     `json:"total"`
	Kept    bool      `json:"kept,omitempty"`  // nobody was told of the end yet
	Stray   int       `json:"stray,omitempty"` // the pid of what may run on all the same
}

func (r *run) record() record {
	v := r.view()
	r.mu.Lock()
	kept, stray := r.kept, r.stray
	r.mu.Unlock()
	rec := record{
		Command: r.command, Job: v.job, Status: v.status(), Exit: v.exit, Reason: v.reason,
		Started: r.started.UTC(), PID: v.pid, Kept: kept, Stray: stray,
	}
	if !v.ended.IsZero() {
		rec.Ended = v.ended.UTC()
	}
	if r.spool != nil {
		rec.Head, rec.Tail, rec.Total = r.spool.filed()
	}
	return rec
}

// save writes the record. A disk that refuses it costs what a restart would find
// and nothing else.
func (r *run) save(sealed bool) {
	r.saving.Lock()
	defer r.saving.Unlock()
	if err := r.sh.store.Update(r.id, r.record(), sealed); err != nil {
		r.sh.log.Warn("the record of a command could not be written", "spool", r.id, "error", err)
	}
}

// restore makes a run of what the state directory knows.
func (s *Shell) restore(e *retain.Entry) *run {
	var rec record
	if err := json.Unmarshal(e.Data, &rec); err != nil {
		s.log.Warn("the record of a command cannot be read", "spool", e.ID, "error", err)
	}
	r := &run{
		id: e.ID, origin: e.Origin, command: rec.Command, started: rec.Started, sh: s,
		state: view{exit: rec.Exit, final: rec.Status, reason: rec.Reason, ended: rec.Ended, job: rec.Job, pid: rec.PID},
		kept:  rec.Kept, stray: rec.Stray,
		spool: &spool{
			path: s.store.Path(e.ID), secrets: s.secrets, head: rec.Head, total: rec.Total, kept: int(rec.Tail), full: true,
			sealed: !e.Ended.IsZero(),
		},
	}
	if e.Ended.IsZero() {
		if info, err := os.Stat(r.spool.path); err == nil {
			r.spool.head, r.spool.total, r.spool.kept = info.Size(), info.Size(), 0
		}
	}
	if !rec.Ended.IsZero() {
		r.done = make(chan struct{})
		close(r.done)
	}
	return r
}

// filed says how a sealed spool lies in its file.
func (s *spool) filed() (head, tail, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring != nil {
		return s.head, 0, s.total // the tail is in memory alone
	}
	return s.head, int64(s.kept), s.total
}
