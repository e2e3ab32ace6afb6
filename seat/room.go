package seat

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Message is a row of a room. One that was superseded is a stub: who, when and
// why are told, what it said is not.
type Message struct {
	ID       int64             // counts up in the store
	Room     string            // where it stands
	Run      string            // the run of the room that it belongs to
	Author   string            // a person, an agent, or the host
	Seat     arc.SeatID        // that said it; empty: no seat
	Kind     string            // prompt, reply, task, notice, or a host's own
	Text     string            // empty in a stub
	Meta     map[string]string // a host's own, and what the service notes; nil in a stub
	At       time.Time         // when it was written
	Parent   int64             // of a task: the task that it is a part of
	State    string            // of a task: open, done, cancelled
	Assignee string            // of a task: the membership whose it is
	Stub     *Stub             // nil: it has its text
}

// A Stub says why a message is not shown any more.
type Stub struct {
	Reason string    // superseded, edited
	By     string    // the operator
	At     time.Time // when
}

// A RoomOp is something that happened in a room, for a host that shows the rooms in
// a place of its own. ID makes it happen once however often it is told, and Order tells one
// that comes late, from a host that stood still meanwhile, from what is new.
type RoomOp struct {
	ID        string  // its own
	Order     int64   `json:"-"` // counts up within a room, not by one
	Room      string  // where it happened
	Post      []int64 // messages to show; Messages tells what they say
	Supersede []int64 // messages to replace by stubs
	Changed   []int64 // tasks whose state is another
	Reason    string  // why they are stubs: superseded, edited
	By        string  // who made them stubs
}

const messageColumns = `id, room_id, run_id, author, seat_id, kind, body, meta, at_us, parent, state, assignee, stub_reason, stub_by, stub_us FROM message `

func scanMessage(r *sql.Rows) (Message, error) {
	var m Message
	var meta string
	var stub Stub
	var at, stubAt int64
	err := r.Scan(&m.ID, &m.Room, &m.Run, &m.Author, &m.Seat, &m.Kind, &m.Text, &meta, &at, &m.Parent, &m.State, &m.Assignee, &stub.Reason, &stub.By, &stubAt)
	if err != nil {
		return m, err
	}
	m.At = fromMicros(at)
	if stubAt != 0 {
		stub.At = fromMicros(stubAt)
		m.Stub = &stub
	}
	if meta != "" {
		err = json.Unmarshal([]byte(meta), &m.Meta)
	}
	return m, err
}

// public is m as every reader but an auditor sees it.
func (m Message) public() Message {
	if m.Stub != nil {
		m.Text, m.Meta = "", nil
	}
	return m
}

// Messages are the messages of a room after the one with the id after, in order,
// limit at most (0: 100).
func (s *Service) Messages(ctx context.Context, room string, after int64, limit int) ([]Message, error) {
	if limit <= 0 {
		limit = 100
	}
	var list []Message
	err := s.store.View(ctx, func(tx *Tx) error {
		return tx.all(`SELECT `+messageColumns+`WHERE room_id = $1 AND id > $2 ORDER BY id LIMIT $3`, []any{room, after, limit}, func(r *sql.Rows) error {
			m, err := scanMessage(r)
			list = append(list, m.public())
			return err
		})
	})
	return list, err
}

// Audit is a message as it was written, stub or not, for a host's own eyes. Code:
// not_found.
func (s *Service) Audit(ctx context.Context, id int64) (Message, error) {
	var m *Message
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		m, err = messageByID(tx, id)
		return err
	})
	if err == nil && m == nil {
		err = notFound("message", "there is no message %d.", id)
	}
	if err != nil {
		return Message{}, err
	}
	return *m, nil
}

// messageByID is nil where there is no such message.
func messageByID(tx *Tx, id int64) (*Message, error) {
	var found *Message
	err := tx.all(`SELECT `+messageColumns+`WHERE id = $1`, []any{id}, func(r *sql.Rows) error {
		m, err := scanMessage(r)
		found = &m
		return err
	})
	return found, err
}

// Post writes a message into a room. A kind of its own (empty: note) keeps it apart
// from prompts and replies. No seat is woken. Codes: not_found, and
// invalid_arguments for an author or a kind of more than 100 bytes or with control
// characters.
func (s *Service) Post(ctx context.Context, m Message) (int64, error) {
	if err := checkName("an author", m.Author); err != nil {
		return 0, err
	}
	if err := checkName("a kind of message", m.Kind); err != nil {
		return 0, err
	}
	if m.Kind == "" {
		m.Kind = "note"
	}
	var id int64
	err := s.update(ctx, m.Room, func(tx *Tx) (err error) {
		id, err = s.post(tx, m)
		return err
	})
	return id, err
}

// post writes m into its room, into the run of now unless it names one.
func (s *Service) post(tx *Tx, m Message) (int64, error) {
	if m.Run == "" {
		found, err := tx.one(`SELECT run_id FROM room WHERE id = $1`, []any{m.Room}, &m.Run)
		if err != nil {
			return 0, err
		}
		if !found {
			return 0, notFound("room", "there is no room %q.", page.First(m.Room, 80))
		}
	}
	if err := s.write(tx, m); err != nil {
		return 0, err
	}
	return s.written(tx, m.Room)
}

// written is the id of what was just written into a room; the host is told of it.
func (s *Service) written(tx *Tx, room string) (int64, error) {
	var id int64
	if _, err := tx.one(`SELECT `+tx.db.Dialect.NewMessage, nil, &id); err != nil {
		return 0, err
	}
	return id, s.mirror(tx, "", RoomOp{Room: room, Post: []int64{id}})
}

// write adds m as the newest message. Who needs its id asks for it.
func (s *Service) write(tx *Tx, m Message) error {
	meta := ""
	if m.Meta != nil {
		b, err := json.Marshal(m.Meta)
		if err != nil {
			return err
		}
		meta = string(b)
	}
	_, err := tx.Exec(`INSERT INTO message (id, room_id, run_id, author, seat_id, kind, body, meta, at_us, parent, state, assignee)
		VALUES (`+tx.db.Dialect.NextMessage+`, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		m.Room, m.Run, m.Author, m.Seat, m.Kind, storable(m.Text), meta, s.now(tx), m.Parent, m.State, m.Assignee)
	return err
}

// supersede makes stubs of messages. Those that are stubs already stay as they are.
func (s *Service) supersede(tx *Tx, room string, turn arc.TurnID, ids []int64, reason, by string) error {
	for some := range slices.Chunk(ids, atOnce) {
		args := []any{reason, by, s.now(tx)}
		if _, err := tx.Exec(`UPDATE message SET stub_reason = $1, stub_by = $2, stub_us = $3 WHERE id `+in(&args, some)+` AND stub_us = 0`, args...); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.mirror(tx, turn, RoomOp{Room: room, Supersede: ids, Reason: reason, By: by})
}
