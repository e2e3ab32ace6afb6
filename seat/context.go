package seat

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// ContextArgs are the arguments of Context.
type ContextArgs struct {
	_ tools.Strict
	Ref
	MaxChars int `json:"max_chars,omitempty" check:"minimum=1" jsonschema_description:"Character budget (default 24000): older entries past it show head and sha256 only"`
}

// maxMaxChars is the largest budget that is looked at.
const maxMaxChars = 1_000_000

// States of an exchange in a Context.
const (
	InWindow = "in_window"
	Beyond   = "beyond"
	Excluded = "excluded"
)

// beyondLimit is how many entries of each kind outside of the window are listed.
const beyondLimit = 50

// queuedLimit is how many queued turns are listed.
const queuedLimit = 50

// A Context is what a seat's next turn will replay, and what stands around it.
type Context struct {
	Seat            Ref            `json:"seat"`                   // which seat it is
	HistoryRevision int64          `json:"history_revision"`       // counts the changes of the history
	WindowSize      int            `json:"window_size"`            // exchanges that the seat replays at most
	MaxChars        int            `json:"max_chars"`              // the budget of what is replayed
	Limit           int            `json:"limit,omitempty"`        // max_chars was lowered to this
	Exact           bool           `json:"exact"`                  // the next turn has this very budget
	LastTurnID      arc.TurnID     `json:"last_turn_id,omitempty"` // the last committed turn; empty: none
	Busy            *BusyState     `json:"busy"`                   // nil: it is in no turn
	Queued          []Queued       `json:"queued"`                 // turns that wait, in order, the first 50
	QueuedTotal     int64          `json:"queued_total"`           // all that wait
	PendingWakes    []PendingWake  `json:"pending_wakes"`          // that are armed
	PendingNotices  []arc.TurnID   `json:"pending_notices"`        // turns whose edited reply the seat has still to be told of
	Notes           *NotesInfo     `json:"notes"`                  // nil: none
	Entries         []ContextEntry `json:"entries"`                // oldest first
	BeyondTotal     int64          `json:"beyond_total"`           // exchanges older than the window
	ExcludedTotal   int64          `json:"excluded_total"`         // exchanges that an operator has excluded
	Next            *arc.Next      `json:"-"`                      // the call that pages through what is not listed
}

// A BusyState is the turn that a seat is in. Its State is unknown to a reader who may
// not see whether the store has an owner, who may run it.
type BusyState struct {
	ActiveTurnID arc.TurnID `json:"active_turn_id"` // the turn that it is in
	State        string     `json:"state"`          // running, interrupted
	Since        time.Time  `json:"since"`          // when it began, also where it was interrupted since
}

// A PendingWake is a wake that has not come.
type PendingWake struct {
	ID      string     `json:"id"`               // as [Service.Wake] takes it
	Kind    string     `json:"kind"`             // remind or wait
	DueAt   time.Time  `json:"due_at"`           // when it comes; of a wait for a task or a job at the latest
	Target  string     `json:"target,omitempty"` // what a wait waits for; empty: a time
	ArmedBy arc.TurnID `json:"armed_by_turn"`    // the turn that armed it
}

// A ContextEntry is one exchange.
type ContextEntry struct {
	TurnID        arc.TurnID `json:"turn_id"`                    // as the verbs take it
	Seq           int64      `json:"seq"`                        // counts the seat's turns from 1
	State         string     `json:"state"`                      // in_window, beyond or excluded
	NextToFallOut bool       `json:"next_to_fall_out,omitempty"` // the next exchange pushes it out of the window
	CommittedAt   time.Time  `json:"committed_at"`               // when the turn ended
	Origin        string     `json:"origin"`                     // who asked: operator, wake, retry or rewind
	Status        string     `json:"status"`                     // how the turn ended
	Prompt        PromptView `json:"prompt"`                     // as the turn would replay it
	Reply         ReplyView  `json:"reply"`                      // the same, with what an operator made of it
}

// A TextView is a Text as JSON.
type TextView struct {
	Text    string `json:"text,omitempty"` // whole
	Head    string `json:"head,omitempty"` // in place of the text, if that is clipped
	Chars   int    `json:"chars"`          // of the whole
	Clipped bool   `json:"clipped"`        // Head stands for it
	SHA256  string `json:"sha256"`         // of the whole
}

// PromptView and ReplyView say where in the room the text stands as well.
type (
	PromptView struct {
		TextView
		SourceMessageID int64 `json:"source_message_id,omitempty"` // 0: it came from no message
	}
	ReplyView struct {
		TextView
		MessageID int64  `json:"message_id,omitempty"` // 0: it is in no message
		Edited    bool   `json:"edited"`               // an operator has rewritten it
		EditedBy  string `json:"edited_by,omitempty"`  // who did
	}
)

func view(t Text) TextView {
	v := TextView{Chars: t.Chars, Clipped: t.Clipped, SHA256: t.SHA256}
	if t.Clipped {
		v.Head = t.Text
	} else {
		v.Text = t.Text
	}
	return v
}

func entry(x *turnRow, state string, prompt, reply Text) ContextEntry {
	return ContextEntry{
		TurnID: x.id, Seq: x.seq, State: state, CommittedAt: fromMicros(x.committedUS), Origin: x.origin, Status: x.status,
		Prompt: PromptView{view(prompt), x.source},
		Reply:  ReplyView{view(reply), x.replyMessage, x.replyVersion > 0, x.editedBy},
	}
}

// Context is exactly what the seat's next turn will replay: the entries in the
// window are made by the function that makes the turn's. It is one snapshot, and
// works while the seat is busy. Codes: invalid_arguments, forbidden, and those of a
// Ref.
func (s *Service) Context(ctx context.Context, op Operator, a ContextArgs) (*Context, error) {
	if a.MaxChars < 0 {
		return nil, invalid("max_chars", "max_chars is 1 or more.")
	}
	c := &Context{WindowSize: Window, MaxChars: a.MaxChars, Entries: []ContextEntry{}}
	if c.MaxChars > maxMaxChars {
		c.MaxChars, c.Limit = maxMaxChars, maxMaxChars
	}
	if c.MaxChars == 0 {
		c.MaxChars = s.o.MaxChars
	}
	c.Exact = c.MaxChars == s.o.MaxChars
	err := s.store.View(ctx, func(tx *Tx) error {
		row, err := op.find(tx, a.Ref)
		if err != nil {
			return err
		}
		c.Seat, c.HistoryRevision = row.ref(), row.Revision
		if err := s.surroundings(tx, row, c); err != nil {
			return err
		}
		return s.entries(tx, row, c)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// entries lists the window, and heads of what lies outside of it.
func (s *Service) entries(tx *Tx, row *seatRow, c *Context) error {
	exchanges, rows, err := window(tx, row.ID)
	if err != nil {
		return err
	}
	replay := BuildReplay(exchanges, c.MaxChars)
	c.BeyondTotal = row.live - row.excluded - int64(len(rows))
	c.ExcludedTotal = row.excluded
	var beyond, excluded []*turnRow
	if c.BeyondTotal > 0 {
		oldest := rows[len(rows)-1].seq
		if beyond, err = headRows(tx, `WHERE seat_id = $1 AND live = 1 AND excluded = 0 AND seq < $2 ORDER BY seq DESC LIMIT $3`, row.ID, oldest, beyondLimit); err != nil {
			return err
		}
	}
	if c.ExcludedTotal > 0 {
		if excluded, err = headRows(tx, `WHERE seat_id = $1 AND live = 1 AND excluded = 1 ORDER BY seq DESC LIMIT $2`, row.ID, beyondLimit); err != nil {
			return err
		}
	}
	for i, e := range replay {
		x := entry(rows[len(rows)-1-i], InWindow, e.Prompt, e.Reply)
		x.NextToFallOut = i == 0 && len(replay) == Window
		c.Entries = append(c.Entries, x)
	}
	for _, x := range beyond {
		c.Entries = append(c.Entries, headEntry(x, Beyond))
	}
	for _, x := range excluded {
		c.Entries = append(c.Entries, headEntry(x, Excluded))
	}
	sortEntries(c.Entries)
	c.Next = c.rest()
	return nil
}

// rest is the call that lists what c leaves out, nil for nothing. It lies behind the
// oldest entry that is listed of its kind, and entries of the other kind may lie further
// back.
func (c *Context) rest() *arc.Next {
	var from *ContextEntry
	for state, total := range map[string]int64{Beyond: c.BeyondTotal, Excluded: c.ExcludedTotal} {
		if total <= beyondLimit {
			continue
		}
		i := slices.IndexFunc(c.Entries, func(e ContextEntry) bool { return e.State == state })
		if i >= 0 && (from == nil || c.Entries[i].Seq > from.Seq) {
			from = &c.Entries[i]
		}
	}
	if from == nil {
		return nil
	}
	return &arc.Next{Tool: StatusTool, Arguments: StatusArgs{Ref: c.Seat, Before: string(from.TurnID)}}
}

// headRows reads turns without what may be long: their texts are heads, with the
// lengths beside them.
func headRows(tx *Tx, where string, args ...any) ([]*turnRow, error) {
	var list []*turnRow
	err := tx.all(`SELECT id, seq, status, live, excluded, origin, source_message_id, reply_message_id, reply_version, edited_by, committed_us,
		substr(prompt, 1, 240), length(prompt), prompt_sha, COALESCE(substr(reply, 1, 240), ''), COALESCE(length(reply), 0), reply_sha FROM `+turnAndReply+where, args, func(r *sql.Rows) error {
		x := &turnRow{}
		list = append(list, x)
		return r.Scan(&x.id, &x.seq, &x.status, &x.live, &x.excluded, &x.origin, &x.source, &x.replyMessage, &x.replyVersion, &x.editedBy, &x.committedUS,
			&x.prompt, &x.promptChars, &x.promptSHA, &x.reply, &x.replyChars, &x.replySHA)
	})
	return list, err
}

func headEntry(x *turnRow, state string) ContextEntry {
	return entry(x, state,
		Text{Text: x.prompt, Chars: x.promptChars, SHA256: x.promptSHA, Clipped: x.promptChars > Head},
		Text{Text: x.reply, Chars: x.replyChars, SHA256: x.replySHA, Clipped: x.replyChars > Head})
}

// surroundings are what a seat is in and what is to come.
func (s *Service) surroundings(tx *Tx, row *seatRow, c *Context) error {
	var err error
	if c.LastTurnID, err = lastTurn(tx, row.ID); err != nil {
		return err
	}
	if c.Busy, err = s.busy(tx, row); err != nil {
		return err
	}
	queued, err := queuePreviews(tx, `WHERE q.seat_id = $1 AND q.state = 'queued' ORDER BY q.n LIMIT $2`, row.ID, queuedLimit)
	if err != nil {
		return err
	}
	c.Queued = publicQueue(queued)
	if _, err := tx.one(`SELECT COUNT(*) FROM queue WHERE seat_id = $1 AND state = 'queued'`, []any{row.ID}, &c.QueuedTotal); err != nil {
		return err
	}
	if c.PendingWakes, err = pendingWakes(tx, row.ID); err != nil {
		return err
	}
	c.PendingNotices = []arc.TurnID{}
	if err := tx.all(`SELECT turn_id FROM notice WHERE seat_id = $1 AND done = 0 AND kind = 'edited' ORDER BY n`, []any{row.ID}, func(r *sql.Rows) error {
		var id arc.TurnID
		err := r.Scan(&id)
		c.PendingNotices = append(c.PendingNotices, id)
		return err
	}); err != nil {
		return err
	}
	_, c.Notes, err = notesOf(tx, row.ID)
	return err
}

func pendingWakes(tx *Tx, seat arc.SeatID) ([]PendingWake, error) {
	rows, err := wakeRows(tx, `WHERE seat_id = $1 AND state = 'armed' ORDER BY due_us, id`, seat)
	list := []PendingWake{}
	for _, x := range rows {
		list = append(list, PendingWake{x.ID, x.Kind, x.Due, x.Target, x.ArmedBy})
	}
	return list, err
}

// lastTurn is the seat's last committed turn that was not forgotten, empty for none.
func lastTurn(tx *Tx, seat arc.SeatID) (arc.TurnID, error) {
	var id arc.TurnID
	_, err := tx.one(`SELECT id FROM turn WHERE seat_id = $1 AND seq = (SELECT MAX(s) FROM (
		SELECT MAX(seq) AS s FROM turn WHERE seat_id = $1 AND live = 1 AND excluded = 0 UNION ALL
		SELECT MAX(seq) AS s FROM turn WHERE seat_id = $1 AND live = 1 AND excluded = 1) x)`, []any{seat}, &id)
	return id, err
}

// busy is the turn that the seat is in, or nil.
func (s *Service) busy(tx *Tx, row *seatRow) (*BusyState, error) {
	if row.leaseTurn == "" {
		return nil, nil
	}
	x, err := turnByID(tx, row.ID, row.leaseTurn)
	if err != nil || x == nil {
		return nil, err
	}
	b := &BusyState{x.id, StatusRunning, fromMicros(x.startedUS)}
	switch {
	case s.store.Opening() == NotKnown:
		b.State = "unknown"
	case !s.leased(tx, row):
		b.State = "interrupted"
	}
	return b, nil
}
