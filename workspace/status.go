package workspace

import (
	"context"
	"slices"
	"time"
)

// RecoveryResult is the journal's state of health.
type RecoveryResult struct {
	Status    string      `json:"status"` // clean, recovered, blocked
	Blocked   bool        `json:"mutations_blocked"`
	CheckedAt time.Time   `json:"checked_at"`
	Journal   JournalInfo `json:"journal"`
	Recovered []Recovered `json:"recovered"`
	Ambiguous []Ambiguous `json:"ambiguous"`
	Tampered  []Damage    `json:"tampered"`
	Conflicts []string    `json:"conflicts,omitempty"` // changes whose conflict copy is kept
	Warnings  []string    `json:"warnings"`
	Resolve   string      `json:"resolve,omitempty"` // who can clear a block
}

// JournalInfo describes the journal.
type JournalInfo struct {
	Changes int    `json:"changes"`
	Bytes   int64  `json:"bytes"`
	Chain   string `json:"chain"` // ok, keyed_ok, broken
	HeadSeq uint64 `json:"head_seq"`
}

// RecoveryStatus reports what was recovered since the workspace was opened, and
// what blocks changes. A change whose fate the files don't tell, and a journal
// that is not as it was left, block until the host calls [Workspace.Resolve] or
// [Workspace.AcceptJournal]. Reading goes on.
func (ws *Workspace) RecoveryStatus(ctx context.Context) (*RecoveryResult, error) {
	leave, err := ws.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	j := ws.journal
	res := &RecoveryResult{
		Status: "clean", CheckedAt: j.now().UTC().Truncate(time.Second),
		Journal:   JournalInfo{Changes: len(j.changes), Chain: "ok", HeadSeq: j.seq},
		Recovered: append([]Recovered{}, ws.recovered[max(0, len(ws.recovered)-maxReported):]...),
		Ambiguous: []Ambiguous{},
		Tampered:  append([]Damage{}, j.damage[:min(len(j.damage), maxReported)]...),
		Warnings:  append([]string{}, j.notes...),
	}
	for _, s := range j.segs {
		res.Journal.Bytes += s.bytes
	}
	for _, c := range j.changes {
		if a, ok := ws.ambiguous[c.id]; ok && len(res.Ambiguous) < maxReported {
			res.Ambiguous = append(res.Ambiguous, a)
		}
		if c.kept != "" {
			res.Conflicts = append(res.Conflicts, c.id)
		}
	}
	slices.Reverse(res.Conflicts)
	res.Conflicts = res.Conflicts[:min(len(res.Conflicts), maxReported)]
	switch {
	case len(j.damage) > 0:
		res.Journal.Chain = "broken"
	case j.chain.key != nil:
		res.Journal.Chain = "keyed_ok"
	}
	switch {
	case ws.blocked() != nil:
		res.Status, res.Blocked, res.Resolve = "blocked", true, "host operator only"
	case len(ws.recovered) > 0:
		res.Status = "recovered"
	}
	return res, nil
}

// maxReported bounds each list of a report.
const maxReported = 20
