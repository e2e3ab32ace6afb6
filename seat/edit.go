package seat

import (
	"context"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// EditArgs are the arguments of EditReply.
type EditArgs struct {
	_ tools.Strict
	Ref
	TurnID           string `json:"turn_id" jsonschema_description:"A committed turn"`
	Content          string `json:"content" jsonschema_description:"The reply that the seat should remember having given"`
	ExpectedRevision *int64 `json:"expected_history_revision,omitempty" jsonschema_description:"history_revision that you read; refused if it has changed"`
	RequestID        string `json:"request_id,omitempty" jsonschema_description:"Idempotency key: retry a timed-out write with the same id"`
}

// Edited is what EditReply has done.
type Edited struct {
	HistoryRevision int64      `json:"history_revision"`            // after it
	TurnID          arc.TurnID `json:"turn_id"`                     // whose reply it is
	Changed         bool       `json:"changed"`                     // false: it was the same text
	PostedMessageID int64      `json:"posted_message_id,omitempty"` // the operator's message with the new text; 0: none
	RoomPending     bool       `json:"room_pending"`                // the host's own room has still to be told
	Replayed        bool       `json:"replayed"`                    // the request had been done before, and this is its answer
}

// EventEdited marks the message that carries an edited reply, in Meta[arc_event].
const EventEdited = "seat_reply_edited"

// EditReply rewrites the reply that a seat remembers. The old row becomes a stub, the
// new text is posted by the operator and never as the seat, and the seat is told at
// its next turn. A running turn goes on with what it was given. Codes:
// invalid_arguments, not_found, forbidden, request_id_conflict, revision_mismatch,
// turn_not_committed, turn_superseded, no_reply, and those of a Ref.
func (s *Service) EditReply(ctx context.Context, op Operator, a EditArgs) (*Edited, error) {
	if err := checkRequestID(a.RequestID); err != nil {
		return nil, err
	}
	if strings.TrimSpace(a.Content) == "" {
		return nil, invalid("content", "the content is blank; to forget the reply, rewind to its turn.")
	}
	content := storable(a.Content)
	w := write{ref: a.Ref, verb: EditTool, args: canonical(a), request: a.RequestID, expected: a.ExpectedRevision, turn: a.TurnID}
	out, again, err := change(ctx, s, op, w, func(tx *Tx, row *seatRow, x *turnRow, out *Edited) error {
		if x.reply == "" {
			return refuse(NoReply, nil, "this turn has no reply that could be rewritten.")
		}
		*out = Edited{HistoryRevision: row.Revision, TurnID: x.id, Changed: x.reply != content}
		if !out.Changed {
			return nil
		}
		return s.edit(tx, row, x, op.name(), content, out)
	})
	if err != nil {
		return nil, err
	}
	out.Replayed = again
	return out, nil
}

func (s *Service) edit(tx *Tx, row *seatRow, x *turnRow, by, content string, out *Edited) error {
	if _, err := tx.Exec(`INSERT INTO reply_version (turn_id, n, text, by_name, at_us) VALUES ($1, $2, $3, $4, $5)`,
		x.id, x.replyVersion, x.reply, x.editedBy, s.now(tx)); err != nil {
		return err
	}
	if x.replyMessage != 0 {
		if err := s.supersede(tx, row.Room, x.id, []int64{x.replyMessage}, "edited", by); err != nil {
			return err
		}
	}
	id, err := s.post(tx, Message{Room: row.Room, Author: by, Kind: "edited_reply", Text: content, Meta: map[string]string{
		"arc_event": EventEdited, "seat": string(row.ID), "turn_id": string(x.id), "replaces": decimal(x.replyMessage),
	}})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE turn SET reply_sha = $1, reply_version = reply_version + 1, edited_by = $2, reply_message_id = $3 WHERE id = $4`,
		hash(content), by, id, x.id); err != nil {
		return err
	}
	// One notice says it, however often the reply is rewritten: the earlier one is of no
	// use any more, also where a turn that was told it is forgotten later.
	if _, err := tx.Exec(`DELETE FROM notice WHERE turn_id = $1 AND kind = 'edited'`, x.id); err != nil {
		return err
	}
	if err := s.addNotice(tx, "", row.ID, noticeEdited, x.id, editedNotice(x.id, x.seq)); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE seat SET history_revision = history_revision + 1 WHERE id = $1`, row.ID); err != nil {
		return err
	}
	out.HistoryRevision, out.PostedMessageID = row.Revision+1, id
	out.RoomPending, err = s.roomPending(tx, x.id)
	return err
}
