package seat

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/tools"
)

// RetryArgs are the arguments of Retry.
type RetryArgs struct {
	_ tools.Strict
	Ref
	TurnID           string  `json:"turn_id" jsonschema_description:"The seat's last committed turn"`
	Message          *string `json:"message,omitempty" jsonschema_description:"Edited prompt; leave out to retry the original"`
	DryRun           bool    `json:"dry_run,omitempty" jsonschema_description:"Tell the plan and what stays, and change nothing"`
	DropQueued       bool    `json:"drop_queued,omitempty" jsonschema_description:"Drop queued turns instead of being refused; wakes of surviving turns stay"`
	ExpectedRevision *int64  `json:"expected_history_revision,omitempty" jsonschema_description:"history_revision that you read; refused if it has changed"`
	SupersedeRequest bool    `json:"supersede_request,omitempty" jsonschema_description:"Stub the request's row too when the prompt stays the same"`
	SourceMessageID  int64   `json:"source_message_id,omitempty" check:"minimum=1" jsonschema_description:"Room message that carries the new prompt, if you posted one"`
	MaxSteps         int     `json:"max_steps,omitempty" check:"minimum=1,maximum=500" jsonschema_description:"Checkpoint interval of the replacement, 1 to 500"`
	OriginID         string  `json:"origin_id,omitempty" jsonschema_description:"Delivery key of the replacement turn"`
	RequestID        string  `json:"request_id,omitempty" jsonschema_description:"Idempotency key: retry a timed-out write with the same id"`
}

// RewindArgs are the arguments of Rewind.
type RewindArgs struct {
	_ tools.Strict
	Ref
	TurnID           string  `json:"turn_id" jsonschema_description:"First committed turn to forget; every later one goes with it"`
	Message          *string `json:"message,omitempty" jsonschema_description:"Prompt to continue with; leave out to leave the seat ready"`
	DryRun           bool    `json:"dry_run,omitempty" jsonschema_description:"Tell the plan and what stays, and change nothing"`
	DropQueued       bool    `json:"drop_queued,omitempty" jsonschema_description:"Drop queued turns instead of being refused; wakes of surviving turns stay"`
	ExpectedRevision *int64  `json:"expected_history_revision,omitempty" jsonschema_description:"history_revision that you read; refused if it has changed"`
	SourceMessageID  int64   `json:"source_message_id,omitempty" check:"minimum=1" jsonschema_description:"Room message that carries the new prompt, if you posted one"`
	MaxSteps         int     `json:"max_steps,omitempty" check:"minimum=1,maximum=500" jsonschema_description:"Checkpoint interval of the new turn, 1 to 500"`
	OriginID         string  `json:"origin_id,omitempty" jsonschema_description:"Delivery key of the new turn"`
	RequestID        string  `json:"request_id,omitempty" jsonschema_description:"Idempotency key: retry a timed-out write with the same id"`
}

// Forgotten is what Retry or Rewind has done.
type Forgotten struct {
	Applied            bool         `json:"applied"`                // true
	HistoryRevision    int64        `json:"history_revision"`       // after it
	Superseded         Superseded   `json:"superseded"`             // what is forgotten
	Replacement        *Replacement `json:"replacement"`            // the turn that is queued instead; nil: none
	DroppedQueued      []Queued     `json:"dropped_queued"`         // queued turns that went with it
	KeptQueued         []Queued     `json:"kept_queued"`            // wakes of surviving turns, which run after the replacement
	KeptSharedRequests []int64      `json:"kept_shared_requests"`   // another seat remembers them
	CancelledWakes     []string     `json:"cancelled_wakes"`        // their ids
	RearmedWakes       []string     `json:"rearmed_wakes"`          // that the end of the run had cancelled
	WithdrawnPlans     []string     `json:"withdrawn_plans"`        // that nobody had decided on
	ReopenedRun        string       `json:"reopened_run,omitempty"` // which a forgotten turn had finished
	NotesRevertedTo    *int64       `json:"notes_reverted_to"`      // a version, 0 for none; null: the notes stay
	Stays              *Stays       `json:"stays"`                  // what the forgotten turns have done to the world
	Replayed           bool         `json:"replayed"`               // the request had been done before, and this is its answer
}

// A DryRun is what Retry or Rewind would do.
type DryRun struct {
	Applied                 bool          `json:"applied"`                    // false
	HistoryRevision         int64         `json:"history_revision"`           // the one of now
	WouldRefuse             []*arc.Error  `json:"would_refuse"`               // why it would be refused; empty: it would not
	WouldSupersede          Superseded    `json:"would_supersede"`            // what would be forgotten
	WindowAfter             []WindowAfter `json:"window_after"`               // what the seat would replay then
	WouldDropQueued         []Queued      `json:"would_drop_queued"`          // as Forgotten.DroppedQueued
	WouldKeepQueued         []Queued      `json:"kept_queued"`                // as Forgotten.KeptQueued
	WouldKeepSharedRequests []int64       `json:"kept_shared_requests"`       // as Forgotten.KeptSharedRequests
	WouldCancelWakes        []string      `json:"would_cancel_wakes"`         // as Forgotten.CancelledWakes
	WouldRearmWakes         []string      `json:"would_rearm_wakes"`          // as Forgotten.RearmedWakes
	WouldWithdrawPlans      []string      `json:"would_withdraw_plans"`       // as Forgotten.WithdrawnPlans
	WouldReopenRun          string        `json:"would_reopen_run,omitempty"` // as Forgotten.ReopenedRun
	NotesWouldRevertTo      *int64        `json:"notes_would_revert_to"`      // as Forgotten.NotesRevertedTo
	Stays                   *Stays        `json:"stays"`                      // what the forgotten turns have done to the world
	Complete                bool          `json:"complete"`                   // as Stays.Complete
}

// Superseded are turns that are forgotten, and rows of the room that are stubs.
type Superseded struct {
	Turns      []arc.TurnID `json:"turns"`       // oldest first
	MessageIDs []int64      `json:"message_ids"` // of prompts and replies
}

// A Replacement is the turn that comes in place of what was forgotten.
type Replacement struct {
	QueueID  string `json:"queue_id"`  // as [Service.Await] takes it
	OriginID string `json:"origin_id"` // its delivery key
}

// WindowAfter is a turn of the window as it would be.
type WindowAfter struct {
	TurnID arc.TurnID `json:"turn_id"` // whose exchange it is
	Is     string     `json:"is"`      // entered, stays
}

// Retry forgets the seat's last exchange and queues a turn with the same prompt or an
// edited one. Nothing but the conversation is undone; what stays is told. With
// DryRun the second result is set, else the first. Codes: invalid_arguments,
// not_found, forbidden, request_id_conflict, revision_mismatch, turn_not_committed,
// turn_superseded, not_last_turn, busy, turns_queued, source_message_invalid,
// origin_conflict, and those of a Ref. A dry run is refused for the first three of
// them and for request_id_conflict alone: it tells the others.
func (s *Service) Retry(ctx context.Context, op Operator, a RetryArgs) (*Forgotten, *DryRun, error) {
	f := &forgetting{
		op: op, verb: RetryTool, args: canonical(a), ref: a.Ref, turn: a.TurnID, message: a.Message, stubRequest: a.SupersedeRequest || a.Message != nil,
		dropQueued: a.DropQueued, expected: a.ExpectedRevision, source: a.SourceMessageID, maxSteps: a.MaxSteps, origin: a.OriginID, request: a.RequestID,
	}
	return s.forget(ctx, f, a.DryRun)
}

// Rewind forgets an exchange and all that came after it, and queues a turn if there
// is a message to go on with. Codes: those of Retry but not_last_turn.
func (s *Service) Rewind(ctx context.Context, op Operator, a RewindArgs) (*Forgotten, *DryRun, error) {
	f := &forgetting{
		op: op, verb: RewindTool, args: canonical(a), ref: a.Ref, turn: a.TurnID, message: a.Message, stubRequest: true,
		dropQueued: a.DropQueued, expected: a.ExpectedRevision, source: a.SourceMessageID, maxSteps: a.MaxSteps, origin: a.OriginID, request: a.RequestID,
	}
	return s.forget(ctx, f, a.DryRun)
}

// forgetting is a retry or a rewind.
type forgetting struct {
	op          Operator
	verb, args  string
	ref         Ref
	turn        string
	message     *string
	stubRequest bool // the requests' rows become stubs
	dropQueued  bool
	expected    *int64
	source      int64
	maxSteps    int
	origin      string
	request     string
}

func (f *forgetting) retry() bool { return f.verb == RetryTool }

// check is what arguments alone can get wrong, all of it at once.
func (f *forgetting) check() error {
	var problems []string
	for _, p := range []struct {
		wrong bool
		what  string
	}{
		{f.message != nil && strings.TrimSpace(*f.message) == "", "message is blank: write the prompt, or leave message out"},
		{f.maxSteps < 0 || f.maxSteps > 500, "max_steps is 1 to 500"},
		{f.message == nil && f.source != 0, "source_message_id belongs to a message: leave it out"},
		{f.message == nil && !f.retry() && (f.origin != "" || f.maxSteps != 0), "a rewind without a message queues no turn: leave out origin_id and max_steps"},
		{keyFault(f.origin) != "", "origin_id " + keyFault(f.origin)},
		{keyFault(f.request) != "", "request_id " + keyFault(f.request)},
	} {
		if p.wrong {
			problems = append(problems, p.what)
		}
	}
	if problems == nil {
		return nil
	}
	return refuse(arc.InvalidArguments, detail{"problems": problems}, "the arguments don't fit each other: %s.", strings.Join(problems, "; "))
}

// forget plans on a snapshot, asks what stays, and plans again and acts in one
// transaction. Whoever is asked may take its time without holding up a writer.
func (s *Service) forget(ctx context.Context, f *forgetting, dry bool) (*Forgotten, *DryRun, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	out := &Forgotten{}
	var row *seatRow
	var p *forgetPlan
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		if row, err = f.op.find(tx, f.ref); err != nil {
			return err
		}
		if out.Replayed, err = replayed(tx, row, f.request, f.verb, f.args, out); err != nil {
			return err
		}
		if out.Replayed && !dry {
			return nil
		}
		p, err = s.plan(tx, row, f)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if out.Replayed && !dry {
		return out, nil, nil
	}
	if !dry && len(p.refusals) > 0 {
		return nil, nil, p.refusals[0]
	}
	stays, err := s.stays(ctx, f.op, row.ID, p.turns)
	if err != nil {
		return nil, nil, err
	}
	if dry {
		return nil, p.dryRun(row, stays), nil
	}
	asked := p.forgotten
	err = s.update(ctx, f.ref.room(), func(tx *Tx) error {
		if row, err = f.op.find(tx, f.ref); err != nil {
			return err
		}
		*out = Forgotten{}
		done, err := replayed(tx, row, f.request, f.verb, f.args, out)
		if err != nil || done {
			out.Replayed = done
			return err
		}
		if p, err = s.plan(tx, row, f); err != nil {
			return err
		}
		if len(p.refusals) > 0 {
			return p.refusals[0]
		}
		for _, id := range p.turns { // one may have ended since they were asked
			if !asked[id] && !slices.Contains(stays.Unknown, string(id)) {
				stays.Complete = false
				stays.Unknown = append(stays.Unknown, string(id))
			}
		}
		if err := s.apply(tx, row, f, p, out); err != nil {
			return err
		}
		out.Stays = stays
		return s.remember(tx, row, f.request, f.verb, f.args, out)
	})
	if err != nil {
		return nil, nil, err
	}
	return out, nil, nil
}

// forgetPlan is what a retry or a rewind would do to the seat as it is.
type forgetPlan struct {
	refusals  []error // in the order in which they are checked
	first     *turnRow
	turns     []arc.TurnID
	forgotten map[arc.TurnID]bool // the turns, as a set
	excluded  int64
	messages  []int64 // to be stubs
	shared    []int64
	dropped   []*queueRow
	kept      []*queueRow
	wakes     []string
	reopens   string   // the run that goes on
	rearmed   []string // wakes that come after all
	plans     []string // to be withdrawn
	notesTo   *int64
	prompt    string
	origin    string
	after     []WindowAfter
}

// plan computes what f would do. Only what is about the seat's state is in refusals.
func (s *Service) plan(tx *Tx, row *seatRow, f *forgetting) (*forgetPlan, error) {
	p := &forgetPlan{
		turns: []arc.TurnID{}, forgotten: map[arc.TurnID]bool{}, messages: []int64{}, shared: []int64{},
		wakes: []string{}, rearmed: []string{}, plans: []string{}, after: []WindowAfter{},
	}
	no := func(err error) {
		if err != nil {
			p.refusals = append(p.refusals, err)
		}
	}
	no(checkRevision(row, f.expected))
	x, err := committed(tx, row, f.turn)
	if err != nil {
		if !isRefusal(err) {
			return nil, err
		}
		no(err)
		if x == nil {
			return p, nil // of what is not known nothing can be planned
		}
	}
	p.first = x
	if last, err := lastTurn(tx, row.ID); err != nil {
		return nil, err
	} else if f.retry() && last != x.id && x.status != StatusRunning {
		no(refuse(NotLastTurn, detail{"last_turn_id": last}, "only the last turn can be retried, and that is %s; rewind forgets more.", last))
	}
	if busy, err := s.busy(tx, row); err != nil {
		return nil, err
	} else if busy != nil {
		no(busyError(row, busy.State))
	}
	if err := s.planTurns(tx, row, f, p); err != nil {
		return nil, err
	}
	if err := planQueue(tx, row, f, p, no); err != nil {
		return nil, err
	}
	if err := planReplacement(tx, row, f, p, no); err != nil {
		return nil, err
	}
	return p, planMemory(tx, row, p)
}

// remembered says of each turn x of seat $1 whether the message with its prompt carries one
// of another seat too, also one to come.
const remembered = `(EXISTS (SELECT 1 FROM turn o WHERE o.source_message_id = x.source_message_id AND o.source_message_id <> 0 AND o.seat_id <> $1 AND (o.live = 1 OR o.status = 'running'))
	OR EXISTS (SELECT 1 FROM queue q WHERE q.source_message_id = x.source_message_id AND q.source_message_id <> 0 AND q.seat_id <> $1 AND q.state = 'queued'))`

// planTurns lists the turns to forget and their rows in the room.
func (s *Service) planTurns(tx *Tx, row *seatRow, f *forgetting, p *forgetPlan) error {
	which := `live = 1 AND excluded IN (0, 1) AND seq >= $2`
	if p.first.status == StatusRunning { // it will have come to something when it can be forgotten
		which = `seq = $2`
	}
	return tx.all(`SELECT id, excluded, source_message_id, reply_message_id, `+remembered+` FROM turn x WHERE seat_id = $1 AND `+which+` ORDER BY seq`,
		[]any{row.ID, p.first.seq}, func(r *sql.Rows) error {
			var id arc.TurnID
			var excluded, request, reply int64
			var others bool
			err := r.Scan(&id, &excluded, &request, &reply, &others)
			p.turns = append(p.turns, id)
			p.forgotten[id] = true
			p.excluded += excluded
			if f.stubRequest && request != 0 && request != f.source {
				if others && !s.o.StubShared {
					p.shared = append(p.shared, request)
				} else {
					p.messages = append(p.messages, request)
				}
			}
			if reply != 0 {
				p.messages = append(p.messages, reply)
			}
			return err
		})
}

// planQueue sorts what is queued: what a surviving turn will be woken for stays and
// blocks nothing, all else is dropped or blocks.
func planQueue(tx *Tx, row *seatRow, f *forgetting, p *forgetPlan, no func(error)) error {
	rows, err := queuePreviews(tx, `WHERE q.seat_id = $1 AND q.state = 'queued' ORDER BY q.n`, row.ID)
	if err != nil {
		return err
	}
	for _, q := range rows {
		if q.kind == "wake" && !p.forgotten[q.wakeArmed] {
			p.kept = append(p.kept, q)
		} else {
			p.dropped = append(p.dropped, q)
		}
	}
	if len(p.dropped) > 0 && !f.dropQueued {
		no(refuse(TurnsQueued, detail{"items": publicQueue(p.dropped[:min(len(p.dropped), queuedLimit)])}, "%s queued; let %s run, or say drop_queued.", turnsAre(len(p.dropped)), map[bool]string{true: "it", false: "them"}[len(p.dropped) == 1]))
	}
	return nil
}

// turnsAre counts turns in a sentence.
func turnsAre(n int) string {
	if n == 1 {
		return "1 turn is"
	}
	return fmt.Sprintf("%d turns are", n)
}

// planReplacement says what the next turn is asked.
func planReplacement(tx *Tx, row *seatRow, f *forgetting, p *forgetPlan, no func(error)) error {
	switch {
	case f.message != nil:
		p.prompt = storable(*f.message)
	case f.retry():
		p.prompt = p.first.prompt
	default:
		return nil
	}
	if f.source != 0 {
		if err := checkSource(tx, row.Room, f.source, ""); isRefusal(err) {
			no(err)
		} else if err != nil {
			return err
		}
	}
	p.origin = f.origin
	if p.origin == "" {
		name := strings.TrimPrefix(f.verb, "arc_seat_")
		p.origin = fmt.Sprintf("%s:%s:%d", name, p.first.id, row.Revision)
	}
	var taken int64
	if _, err := tx.one(`SELECT COUNT(*) FROM queue WHERE seat_id = $1 AND origin_id = $2`, []any{row.ID, p.origin}, &taken); err != nil {
		return err
	}
	if taken > 0 {
		no(refuse(OriginConflict, nil, "the origin id %q is that of another turn; give a new one.", page.First(p.origin, 80)))
	}
	return nil
}

// planMemory says what else of the seat's memory goes with the turns.
func planMemory(tx *Tx, row *seatRow, p *forgetPlan) error {
	err := tx.all(`SELECT id, turn_id FROM wake WHERE id IN (SELECT id FROM wake WHERE seat_id = $1 AND state = 'armed'
		UNION ALL SELECT wake_id FROM queue WHERE seat_id = $1 AND state = 'queued' AND wake_id <> '') ORDER BY due_us, id`, []any{row.ID}, func(r *sql.Rows) error {
		var id string
		var turn arc.TurnID
		err := r.Scan(&id, &turn)
		if p.forgotten[turn] {
			p.wakes = append(p.wakes, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := tx.all(`SELECT id, turn_id FROM plan WHERE seat_id = $1 AND state = 'submitted'`, []any{row.ID}, func(r *sql.Rows) error {
		var id string
		var turn arc.TurnID
		err := r.Scan(&id, &turn)
		if p.forgotten[turn] {
			p.plans = append(p.plans, id)
		}
		return err
	}); err != nil {
		return err
	}
	if err := planRun(tx, row, p); err != nil {
		return err
	}
	_, now, err := notesOf(tx, row.ID)
	if err != nil {
		return err
	}
	_, then, err := notesBefore(tx, row.ID, p.first.seq)
	if err != nil {
		return err
	}
	if now != nil && (then == nil || then.Version != now.Version) {
		p.notesTo = new(int64)
		if then != nil {
			*p.notesTo = then.Version
		}
	}
	before, err := windowIDs(tx, row.ID)
	if err != nil {
		return err
	}
	after, err := tx.texts(`SELECT id FROM turn WHERE seat_id = $1 AND live = 1 AND excluded = 0 AND seq < $2 ORDER BY seq DESC LIMIT $3`, row.ID, p.first.seq, Window)
	if err != nil {
		return err
	}
	p.after = windowAfter(before, after)
	return nil
}
