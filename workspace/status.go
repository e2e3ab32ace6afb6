package workspace

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/arcseat/arc/tools"
)

// RecoveryResult is the journal's state of health. Each list has at most 20
// entries: of what was recovered and of conflicts the newest, newest first, of all
// else the oldest.
type RecoveryResult struct {
	Status    string      `json:"status"`              // clean, recovered, blocked
	Blocked   bool        `json:"mutations_blocked"`   // nothing can be changed until an operator resolves it
	CheckedAt time.Time   `json:"checked_at"`          // when this was true
	Journal   JournalInfo `json:"journal"`             // how much there is, and whether it is whole
	Recovered []Recovered `json:"recovered"`           // changes that a crash interrupted and that are settled
	Ambiguous []Ambiguous `json:"ambiguous"`           // changes that only the host can settle
	Tampered  []Damage    `json:"tampered"`            // where the journal is not as it was left
	Conflicts []string    `json:"conflicts,omitempty"` // changes whose conflict copy is kept
	Warnings  []string    `json:"warnings"`            // what was odd and blocks nothing
	Truncated bool        `json:"truncated,omitempty"` // a list was cut
	LeftOut   int         `json:"left_out,omitempty"`  // entries that the lists have no room for
	Resolve   string      `json:"resolve,omitempty"`   // who can clear a block
}

// JournalInfo describes the journal.
type JournalInfo struct {
	Changes int    `json:"changes"`  // that can still be listed
	Bytes   int64  `json:"bytes"`    // on disk, contents included
	Chain   string `json:"chain"`    // ok, keyed_ok, broken
	HeadSeq uint64 `json:"head_seq"` // the newest record, counted from 1; 0: there is none
}

// RecoveryStatus reports what was recovered since the workspace was opened, and
// what blocks changes. A change whose fate the files don't tell, and a journal
// that is not as it was left, block until the host calls [Workspace.Resolve] or
// [Workspace.AcceptJournal]. Reading goes on. Contents that are kept in files of
// their own are read and compared with their hashes once, at most 64 MiB of them at a
// call, and when an undo needs them. The tool also leaves out what a
// result has no room for.
//
// Codes: locked, no_space, permission_denied, io_error.
func (ws *Workspace) RecoveryStatus(ctx context.Context) (*RecoveryResult, error) {
	leave, err := ws.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	j := ws.journal
	if len(j.damage) == 0 {
		if err := j.checkBlobs(blobsChecked); err != nil {
			return nil, ws.journalFault(err)
		}
	}
	res := &RecoveryResult{
		Status: "clean", CheckedAt: j.now().UTC().Truncate(time.Second),
		Journal:   JournalInfo{Changes: len(j.changes), Chain: "ok", HeadSeq: j.seq},
		Recovered: append([]Recovered{}, ws.recovered...),
		Ambiguous: []Ambiguous{},
		Tampered:  append([]Damage{}, j.damage...),
		Warnings:  append([]string{}, j.notes...),
	}
	for _, s := range j.segs {
		res.Journal.Bytes += s.bytes
	}
	for _, c := range j.changes {
		if a, ok := ws.ambiguous[c.id]; ok {
			res.Ambiguous = append(res.Ambiguous, a)
		}
		if c.kept != "" {
			res.Conflicts = append(res.Conflicts, c.id)
		}
	}
	slices.Reverse(res.Recovered)
	slices.Reverse(res.Conflicts)
	res.bound(maxLine)
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

const (
	blobsChecked = 64 << 20 // bytes of kept contents that a report reads anew

	maxReported     = 20  // entries of each list of a report
	maxPathReported = 200 // bytes of a path in the tool's
)

// fit cuts the report to what a result's header has room for.
func (r *RecoveryResult) fit() {
	for i := range r.Ambiguous {
		r.Ambiguous[i].Path = clip(r.Ambiguous[i].Path, maxPathReported)
	}
	for i := range r.Recovered {
		r.Recovered[i].Path = clip(r.Recovered[i].Path, maxPathReported)
	}
	r.bound(tools.MaxHeader - 1<<10) // the rest is for what stands beside the lists
}

// bound shortens the lists to maxReported entries each and to room bytes of JSON
// together. What blocks changes comes first.
func (r *RecoveryResult) bound(room int) {
	r.Ambiguous = first(r.Ambiguous, &room, &r.LeftOut)
	r.Tampered = first(r.Tampered, &room, &r.LeftOut)
	r.Conflicts = first(r.Conflicts, &room, &r.LeftOut)
	r.Recovered = first(r.Recovered, &room, &r.LeftOut)
	r.Warnings = first(r.Warnings, &room, &r.LeftOut)
	r.Truncated = r.LeftOut > 0
}

// first is the beginning of a list that there is room for; it counts the rest.
func first[T any](list []T, room, leftOut *int) []T {
	for i, e := range list {
		b, err := json.Marshal(e)
		if i == maxReported || err != nil || len(b) >= *room {
			*leftOut += len(list) - i
			return list[:i]
		}
		*room -= len(b) + 1
	}
	return list
}
