package seat

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// Where a turn comes from.
const (
	FromOperator = "operator"
	FromWake     = "wake"
	FromRetry    = "retry"
	FromRewind   = "rewind"
)

// A Prompt is what somebody asks of a seat.
type Prompt struct {
	Ref
	// Author is who asks: 100 bytes at most, without control characters. Empty:
	// operator.
	Author string
	// Text is what is asked. Not blank.
	Text string
	// Mode is what the turn is for.
	Mode arc.Mode
	// OriginID is the prompt's delivery key: sent twice, it is queued once. Empty:
	// each Send is a prompt of its own.
	OriginID string
	// SourceMessageID is the room's message that carries the prompt already: one can
	// be sent to several seats. 0: the prompt is posted.
	SourceMessageID int64
	// Meta is kept with the message that the prompt is posted as, for a host's own use;
	// see [Service.Asked]. Not with SourceMessageID.
	Meta map[string]string
	// MaxSteps is the turn's checkpoint interval, 1 to 500. 0: the service's.
	MaxSteps int
}

// A Queued is a turn to come.
type Queued struct {
	ID              string     `json:"id"`                          // as [Service.Await] takes it
	OriginID        string     `json:"origin_id"`                   // the delivery key
	Kind            string     `json:"kind"`                        // prompt, wake, retry, rewind
	Preview         string     `json:"preview"`                     // the start of its prompt
	SourceMessageID int64      `json:"source_message_id,omitempty"` // the room's message that carries it; 0: none
	EnqueuedAt      time.Time  `json:"enqueued_at"`                 // when it was
	State           string     `json:"-"`                           // queued, started, dropped
	Turn            arc.TurnID `json:"-"`                           // once it has started
}

// queueRow is a row of the queue.
type queueRow struct {
	id        string
	seat      arc.SeatID
	n         int64
	originID  string
	kind      string
	origin    string // of the turn: operator, wake, retry, rewind
	mode      arc.Mode
	prompt    string
	source    int64
	wake      string
	maxSteps  int
	state     string
	turn      arc.TurnID
	atMicros  int64
	wakeArmed arc.TurnID // the turn that armed the wake
}

const queueColumns = `q.id, q.seat_id, q.n, q.origin_id, q.kind, q.origin, q.mode, %s, q.source_message_id, q.wake_id, q.max_steps, q.state, q.turn_id, q.at_us,
	COALESCE((SELECT w.turn_id FROM wake w WHERE w.id = q.wake_id), '') FROM queue q `

func queueRows(tx *Tx, where string, args ...any) ([]*queueRow, error) {
	return queueRowsWith(tx, `q.prompt`, where, args...)
}

// preview is how much of a queued prompt is shown, in characters.
const preview = 120

// queuePreviews are rows with the starts of their prompts, which may be long and many.
func queuePreviews(tx *Tx, where string, args ...any) ([]*queueRow, error) {
	return queueRowsWith(tx, fmt.Sprintf(`substr(q.prompt, 1, %d)`, preview), where, args...)
}

func queueRowsWith(tx *Tx, prompt, where string, args ...any) ([]*queueRow, error) {
	var list []*queueRow
	err := tx.all(`SELECT `+fmt.Sprintf(queueColumns, prompt)+where, args, func(r *sql.Rows) error {
		x := &queueRow{}
		list = append(list, x)
		return r.Scan(&x.id, &x.seat, &x.n, &x.originID, &x.kind, &x.origin, &x.mode, &x.prompt, &x.source, &x.wake, &x.maxSteps, &x.state, &x.turn, &x.atMicros, &x.wakeArmed)
	})
	return list, err
}

func (x *queueRow) public() Queued {
	return Queued{
		ID: x.id, OriginID: x.originID, Kind: x.kind, Preview: page.First(x.prompt, preview), SourceMessageID: x.source,
		EnqueuedAt: fromMicros(x.atMicros), State: x.state, Turn: x.turn,
	}
}

func publicQueue(rows []*queueRow) []Queued {
	list := make([]Queued, 0, len(rows))
	for _, x := range rows {
		list = append(list, x.public())
	}
	return list
}

// enqueue adds x as it stands, but for its id, its time and, unless it has one, its
// place. An origin id that is there already is origin_conflict; a wake, which comes
// once anyway, then has its own.
func (s *Service) enqueue(tx *Tx, x *queueRow) error {
	var err error
	x.id, x.state, x.atMicros = "q_"+random(), "queued", s.now(tx)
	if x.originID == "" {
		x.originID = x.id
	}
	if x.n == 0 {
		if x.n, err = nextOrder(tx); err != nil {
			return err
		}
	}
	tx.Ring()
	add := func() (int64, error) {
		return tx.Exec(`INSERT INTO queue (id, seat_id, n, origin_id, kind, origin, mode, prompt, source_message_id, wake_id, max_steps, state, at_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
			x.id, x.seat, x.n, x.originID, x.kind, x.origin, x.mode, x.prompt, x.source, x.wake, x.maxSteps, x.state, x.atMicros)
	}
	added, err := add()
	if err == nil && added == 0 && x.wake != "" {
		x.originID = x.id
		added, err = add()
	}
	if err == nil && added == 0 {
		err = refuse(OriginConflict, nil, "the origin id %q is that of another turn; give a new one.", page.First(x.originID, 80))
	}
	return err
}

// Send posts a prompt in the room and queues a turn for it. After a run has
// finished, it opens the room's next. Codes: invalid_arguments, origin_conflict,
// source_message_invalid, and those of a Ref.
func (s *Service) Send(ctx context.Context, p Prompt) (Queued, error) {
	switch {
	case strings.TrimSpace(p.Text) == "":
		return Queued{}, invalid("blank", "the prompt is blank; say what is to be done.")
	case p.MaxSteps < 0 || p.MaxSteps > 500:
		return Queued{}, invalid("max_steps", "max_steps is 1 to 500.")
	case p.Meta != nil && p.SourceMessageID != 0:
		return Queued{}, invalid("meta", "the message %d has a meta of its own; leave Meta out.", p.SourceMessageID)
	case keyFault(p.OriginID) != "":
		return Queued{}, invalid("origin_id", "origin_id %s.", keyFault(p.OriginID))
	}
	if err := checkName("an author", p.Author); err != nil {
		return Queued{}, err
	}
	p.Text = storable(p.Text)
	if p.Author == "" {
		p.Author = "operator"
	}
	var x *queueRow
	err := s.update(ctx, p.room(), func(tx *Tx) error {
		x = &queueRow{kind: "prompt", origin: FromOperator, mode: p.Mode, prompt: p.Text, source: p.SourceMessageID, maxSteps: p.MaxSteps, originID: p.OriginID}
		row, err := resolve(tx, p.Ref)
		if err != nil {
			return err
		}
		if p.OriginID != "" {
			was, err := queueRows(tx, `WHERE q.seat_id = $1 AND q.origin_id = $2`, row.ID, p.OriginID)
			if err != nil {
				return err
			}
			if len(was) > 0 {
				if was[0].prompt != p.Text || was[0].kind != "prompt" {
					return refuse(OriginConflict, nil, "the origin id %q is that of another prompt; give a new one.", page.First(p.OriginID, 80))
				}
				x = was[0]
				return nil
			}
		}
		if row.Finished {
			if _, err := openNextRun(tx, row.Room); err != nil {
				return err
			}
		}
		if x.source == 0 {
			x.source, err = s.post(tx, Message{Room: row.Room, Author: p.Author, Kind: "prompt", Text: p.Text, Meta: p.Meta})
		} else {
			err = checkSource(tx, row.Room, x.source, row.ID)
		}
		if err != nil {
			return err
		}
		x.seat = row.ID
		return s.enqueue(tx, x)
	})
	if err != nil {
		return Queued{}, err
	}
	return x.public(), nil
}

// openNextRun gives a room its next run. The seats' history goes on.
func openNextRun(tx *Tx, room string) (string, error) {
	var runs int64
	if _, err := tx.one(`UPDATE room SET runs = runs + 1 WHERE id = $1 RETURNING runs`, []any{room}, &runs); err != nil {
		return "", err
	}
	id := fmt.Sprintf("%s#%d", room, runs)
	if _, err := tx.Exec(`INSERT INTO run (id, room_id, n) VALUES ($1, $2, $3)`, id, room, runs); err != nil {
		return "", err
	}
	_, err := tx.Exec(`UPDATE room SET run_id = $1 WHERE id = $2`, id, room)
	return id, err
}

// checkSource refuses a message that cannot carry a new prompt: one that carries the
// prompt of a turn already, of seat, also of one to come, or, where that is empty, of
// any.
func checkSource(tx *Tx, room string, id int64, seat arc.SeatID) error {
	m, err := messageByID(tx, id)
	if err != nil {
		return err
	}
	why := ""
	switch {
	case m == nil || m.Room != room:
		why = "is not in this room"
	case m.Stub != nil:
		why = "was superseded"
	default:
		var n int64
		if _, err := tx.one(`SELECT COUNT(*) FROM turn WHERE source_message_id = $1 AND source_message_id <> 0 AND (live = 1 OR status = 'running') AND ($2 = '' OR seat_id = $2)`, []any{id, seat}, &n); err != nil {
			return err
		}
		if n == 0 && seat != "" {
			if _, err := tx.one(`SELECT COUNT(*) FROM queue WHERE seat_id = $1 AND state = 'queued' AND source_message_id = $2`, []any{seat, id}, &n); err != nil {
				return err
			}
		}
		if n > 0 {
			why = "carries the prompt of another turn"
		}
	}
	if why == "" {
		return nil
	}
	return refuse(SourceMessageInvalid, nil, "the message %d %s; post the prompt anew, or leave out source_message_id.", id, why)
}

// Await waits until a queued turn has ended, and tells how: a turn's status, or
// dropped. Somebody else runs it. Code: not_found.
func (s *Service) Await(ctx context.Context, id string) (status string, turn arc.TurnID, err error) {
	for {
		changes := s.changes()
		var found bool
		err := s.store.View(ctx, func(tx *Tx) (err error) {
			found, err = tx.one(`SELECT CASE WHEN q.state = 'started' THEN t.status ELSE q.state END, q.turn_id
				FROM queue q LEFT JOIN turn t ON t.id = q.turn_id WHERE q.id = $1`, []any{id}, &status, &turn)
			return err
		})
		switch {
		case err != nil:
			return "", "", err
		case !found:
			return "", "", notFound("queued turn", "there is no queued turn %q.", page.First(id, 80))
		case status != "queued" && status != "running":
			return status, turn, nil
		}
		select {
		case <-ctx.Done():
			return "", "", ctx.Err()
		case <-changes:
		case <-s.clock.After(time.Second): // another process may have done it
		}
	}
}
