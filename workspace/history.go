package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// HistoryArgs are what History takes.
type HistoryArgs struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"default=50" check:"minimum=1" jsonschema_description:"changes, newest first"` // zero: 50; at most 500
	Before string `json:"before,omitempty" additive:"true" jsonschema_description:"only changes older than this change_id"`
}

// HistoryResult is a page of the journal.
type HistoryResult struct {
	Changes   []HistoryEntry `json:"changes"`         // newest first
	Total     int            `json:"total"`           // changes in the journal
	Truncated bool           `json:"truncated"`       // Next lists older ones
	Limit     int            `json:"limit,omitempty"` // set if a larger one was asked for
	Next      *arc.Next      `json:"-"`               // the page after this one
}

// A HistoryEntry is one change.
type HistoryEntry struct {
	ChangeID string    `json:"change_id"` // for Undo
	Time     time.Time `json:"ts"`        // when it was made
	Op       Op        `json:"op"`        // what was done
	Path     string    `json:"path"`      // to which file
	Tool     string    `json:"tool"`      // that made it
	// Status: applied, undone, aborted, recovered (applied, and a crash interrupted
	// it), resolved (by the host), ambiguous.
	Status   string `json:"status"`
	UndoOf   string `json:"undo_of,omitempty"`   // the change_id that this one takes back
	UndoneBy string `json:"undone_by,omitempty"` // the change_id that takes this one back
	Undoable bool   `json:"undoable"`            // Undo would take it back now
	// Current says whether the file still is as the change left it: true, false, or
	// "unknown" where it cannot be read.
	Current any `json:"current"`
	Added   int `json:"+"` // lines
	//lint:ignore SA5008 the name is a minus sign
	Removed int `json:"-,"` // lines
}

const (
	defaultHistory = 50
	maxHistory     = 500
)

// History lists changes, newest first: 50 of them, or Limit, at most 500. The tool
// ends a page earlier if a result has no room for it.
//
// Codes: invalid_arguments, not_found or expired (Before), locked, no_space,
// permission_denied, io_error.
func (ws *Workspace) History(ctx context.Context, a HistoryArgs) (*HistoryResult, error) {
	res := &HistoryResult{Changes: []HistoryEntry{}}
	limit := a.Limit
	switch {
	case limit < 0:
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: "limit is negative; ask for 1 or more.", Detail: map[string]string{"reason": "limit"}}
	case limit == 0:
		limit = defaultHistory
	case limit > maxHistory:
		limit, res.Limit = maxHistory, maxHistory
	}
	leave, err := ws.enter(ctx)
	if err != nil {
		return nil, err
	}
	changes := ws.journal.changes
	res.Total = len(changes)
	end := len(changes)
	if a.Before != "" {
		c := ws.journal.byID[a.Before]
		if c == nil {
			defer leave()
			return nil, ws.unknownChange(a.Before)
		}
		for end > 0 && changes[end-1].seq >= c.seq {
			end--
		}
	}
	start := max(0, end-limit)
	var page []change
	for i := end - 1; i >= start; i-- {
		page = append(page, *changes[i])
	}
	var undoable []bool
	var ambiguous []bool
	for i := range page {
		_, open := ws.ambiguous[page[i].id]
		ambiguous = append(ambiguous, open)
		undoable = append(undoable, !open && ws.undoable(&page[i]) == nil)
	}
	leave()
	// Whether files are current is found out without keeping others from their
	// changes.
	l := lookout{ws, map[relPath]*standing{}}
	for i, c := range page {
		e := c.entry(ambiguous[i])
		e.Undoable = undoable[i]
		e.Current = l.current(ctx, &c)
		res.Changes = append(res.Changes, e)
	}
	if res.Truncated = start > 0; res.Truncated {
		res.Next = &arc.Next{Tool: "workspace_history", Arguments: HistoryArgs{Limit: limit, Before: changes[start].id}}
	}
	return res, ctx.Err()
}

// fit ends the page where a result's header is full. A path that alone is longer
// is cut.
func (r *HistoryResult) fit(a HistoryArgs) {
	const room = tools.MaxHeader - 1<<10 // the rest is for what stands beside the entries
	size := 0
	for i := range r.Changes {
		b, err := json.Marshal(&r.Changes[i])
		if size += len(b) + 1; err != nil || size <= room {
			continue
		}
		if i == 0 {
			r.Changes[0].Path = clip(r.Changes[0].Path, room/8)
			continue
		}
		r.Changes, r.Truncated = r.Changes[:i], true
		r.Next = &arc.Next{Tool: "workspace_history", Arguments: HistoryArgs{Limit: cmp.Or(r.Limit, a.Limit), Before: r.Changes[i-1].ChangeID}}
		return
	}
}

func (c *change) entry(ambiguous bool) HistoryEntry {
	e := HistoryEntry{
		ChangeID: c.id, Time: c.time.Truncate(time.Second), Op: c.Op, Path: string(c.Path), Tool: c.Tool,
		UndoOf: c.UndoOf, UndoneBy: c.undoneBy, Added: c.Added, Removed: c.Removed,
	}
	switch {
	case ambiguous || c.end == "":
		e.Status = "ambiguous"
	case c.end == typeResolve:
		e.Status = "resolved"
	case c.end == typeAbort:
		e.Status = "aborted"
	case c.undoneBy != "":
		e.Status = "undone"
	case c.recovered:
		e.Status = "recovered"
	default:
		e.Status = "applied"
	}
	return e
}

// Touched tells what the given turns of a seat changed, oldest first, for
// checkpoints and dry runs.
//
// Codes: recovery_blocked (the journal is damaged, so that they are not all
// known), locked, no_space, permission_denied, io_error.
func (ws *Workspace) Touched(ctx context.Context, seat arc.SeatID, turns []arc.TurnID) ([]arc.Touch, error) {
	leave, err := ws.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(ws.journal.damage) > 0 {
		return nil, &arc.Error{
			Code:    RecoveryBlocked,
			Message: "the journal is damaged, so that its changes are not all known; settle what workspace_recovery_status reports first.",
			Next:    &arc.Next{Tool: "workspace_recovery_status", Arguments: struct{}{}},
		}
	}
	turns = slices.Sorted(slices.Values(turns)) // of a long history they are many
	var out []arc.Touch
	for _, c := range ws.journal.changes {
		if c.Origin == nil || c.Origin.Seat != seat || c.end == typeAbort {
			continue
		}
		if _, asked := slices.BinarySearch(turns, c.Origin.Turn); !asked {
			continue
		}
		out = append(out, c.touch(ws.undoable(c) == nil))
	}
	return out, nil
}

func (c *change) touch(undoable bool) arc.Touch {
	return arc.Touch{Kind: "changed", ID: c.id, Path: string(c.Path), SHA256: string(c.afterHash()), Note: string(c.Op), Undoable: undoable}
}
