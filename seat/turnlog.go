package seat

import (
	"database/sql"

	"github.com/arcseat/arc"
)

// turnRow is a row of the turn log.
type turnRow struct {
	id             arc.TurnID
	seat           arc.SeatID
	run            string
	seq            int64
	status         string // running, or how it ended
	live, excluded bool
	origin         string
	mode           arc.Mode
	prompt         string
	reply          string
	replyVersion   int64
	editedBy       string
	source         int64
	replyMessage   int64
	maxSteps       int
	attempt        int
	parked         int    // how often its host was stopped while it ran
	ended          string // by a tool: finished, waiting, planned, answered
	endText        string
	draft          string
	requests       int
	mark           int
	checkpointStep int64
	steps          int64
	committedUS    int64
	startedUS      int64
	promptSHA      string
	replySHA       string

	promptChars, replyChars int // where the texts are heads
}

// turnAndReply are turns with the texts of their replies: the log says which of the
// room's messages a reply is, and its text is kept there alone, stub or not.
const turnAndReply = `turn LEFT JOIN (SELECT id AS reply_id, body AS reply FROM message) m ON m.reply_id = turn.reply_message_id `

const turnColumns = `id, seat_id, run_id, seq, status, live, excluded, origin, mode, prompt, COALESCE(reply, ''), reply_version, edited_by, source_message_id,
	reply_message_id, max_steps, attempt, parked, ended, end_text, draft, requests, checkpoint_request, checkpoint_step, steps, committed_us, started_us, prompt_sha, reply_sha FROM ` + turnAndReply

func turnRows(tx *Tx, where string, args ...any) ([]*turnRow, error) {
	var list []*turnRow
	err := tx.all(`SELECT `+turnColumns+where, args, func(r *sql.Rows) error {
		x := &turnRow{}
		list = append(list, x)
		return r.Scan(&x.id, &x.seat, &x.run, &x.seq, &x.status, &x.live, &x.excluded, &x.origin, &x.mode, &x.prompt, &x.reply, &x.replyVersion, &x.editedBy, &x.source,
			&x.replyMessage, &x.maxSteps, &x.attempt, &x.parked, &x.ended, &x.endText, &x.draft, &x.requests, &x.mark, &x.checkpointStep, &x.steps, &x.committedUS, &x.startedUS, &x.promptSHA, &x.replySHA)
	})
	return list, err
}

// turnByID is nil where the seat has no such turn.
func turnByID(tx *Tx, seat arc.SeatID, id arc.TurnID) (*turnRow, error) {
	list, err := turnRows(tx, `WHERE seat_id = $1 AND id = $2`, seat, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// window is the seat's memory as exchanges, newest first: what BuildReplay is given,
// by a turn that begins and by everybody who asks what it will be given.
func window(tx *Tx, seat arc.SeatID) ([]Exchange, []*turnRow, error) {
	rows, err := turnRows(tx, `WHERE seat_id = $1 AND live = 1 AND excluded = 0 ORDER BY seq DESC LIMIT $2`, seat, Window)
	if err != nil {
		return nil, nil, err
	}
	var list []Exchange
	for _, x := range rows {
		list = append(list, Exchange{Turn: x.id, Seq: x.seq, Prompt: x.prompt, Reply: x.reply, Ended: x.status})
	}
	return list, rows, nil
}
