package seat

import (
	"context"
	"database/sql"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Ref names a seat: by its run alone where the run has one seat, and else by its
// membership or its agent as well. Any run of a room names the room's seats, also
// one that has finished.
type Ref struct {
	RunID        string `json:"run_id" jsonschema_description:"Run of the seat"`
	MembershipID string `json:"membership_id,omitempty" jsonschema_description:"Membership of the seat, where the run has several"`
	AgentID      string `json:"agent_id,omitempty" jsonschema_description:"Its agent, instead of or beside the membership"`
}

// A Spec is a seat to be made.
type Spec struct {
	// Room is the room's name: no more than 100 bytes of UTF-8, without control
	// characters, / and #. It is also the id of the room's first run.
	Room string
	// Membership names the seat in its room. Empty: main.
	Membership string
	// Agent is whose seat it is. Empty: agent.
	Agent string
	// Unmanaged is a seat that this service does not run: a person's, say.
	Unmanaged bool
}

// An Info is what is known of a seat.
type Info struct {
	ID         arc.SeatID // the seat's; room/membership
	Room       string     // the room's name
	Run        string     // the room's run of now
	Membership string     // names the seat in its room
	Agent      string     // whose seat it is
	Managed    bool       // this service runs its turns
	Revision   int64      // the history revision
	Finished   bool       // the run of now has finished
	Host       string     // that the seat is bound to; empty: any runs it
}

// seatRow is an Info and what the service keeps beside it.
type seatRow struct {
	Info
	turns, live, excluded  int64
	leaseTurn              arc.TurnID
	leaseOwner             string
	leaseGen, leaseUntilUS int64
	stopTurn               arc.TurnID // that somebody has stopped
}

const seatColumns = `s.id, s.room_id, r.run_id, s.membership_id, s.agent_id, s.managed, s.history_revision,
	s.turns, s.live_total, s.excluded_total, s.lease_turn, s.lease_owner, s.lease_gen, s.lease_until_us, s.stop_turn,
	(SELECT finished FROM run WHERE run.id = r.run_id), s.host
	FROM seat s JOIN room r ON r.id = s.room_id `

func (x *seatRow) fields() []any {
	return []any{&x.ID, &x.Room, &x.Run, &x.Membership, &x.Agent, &x.Managed, &x.Revision,
		&x.turns, &x.live, &x.excluded, &x.leaseTurn, &x.leaseOwner, &x.leaseGen, &x.leaseUntilUS, &x.stopTurn, &x.Finished, &x.Host}
}

// Join makes the room and the seat if they are missing, and tells what there is.
// Code: invalid_arguments.
func (s *Service) Join(ctx context.Context, spec Spec) (Info, error) {
	if spec.Membership == "" {
		spec.Membership = "main"
	}
	if spec.Agent == "" {
		spec.Agent = "agent"
	}
	for _, name := range []string{spec.Room, spec.Membership, spec.Agent} {
		why := nameFault(name)
		if strings.ContainsAny(name, "/#") {
			why = "has / or #"
		}
		if why != "" {
			return Info{}, invalid("name", "%q is no name for a room, a membership or an agent: it %s.", page.First(strings.ToValidUTF8(name, "\uFFFD"), 40), why)
		}
	}
	id := arc.SeatID(spec.Room + "/" + spec.Membership)
	var row *seatRow
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		row, err = seatByID(tx, id)
		return err
	})
	if err != nil || row != nil {
		return rowInfo(row), err
	}
	err = s.update(ctx, "", func(tx *Tx) (err error) { // whose row other transactions of the room lock
		if _, err := tx.Exec(`INSERT INTO room (id, run_id, runs, created_us) VALUES ($1, $1, 1, $2) ON CONFLICT DO NOTHING`, spec.Room, s.now(tx)); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO run (id, room_id, n) VALUES ($1, $1, 1) ON CONFLICT DO NOTHING`, spec.Room); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO seat (id, room_id, membership_id, agent_id, managed) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			id, spec.Room, spec.Membership, spec.Agent, truth(!spec.Unmanaged)); err != nil {
			return err
		}
		row, err = seatByID(tx, id)
		return err
	})
	return rowInfo(row), err
}

func rowInfo(row *seatRow) Info {
	if row == nil {
		return Info{}
	}
	return row.Info
}

// truth is how a bool is stored.
func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Seat is what is known of the seat that r names, if the operator may control it. Codes:
// forbidden, invalid_arguments, and those of a Ref: not_found, seat_ambiguous with
// candidates, seat_not_managed.
func (s *Service) Seat(ctx context.Context, op Operator, r Ref) (Info, error) {
	var row *seatRow
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		row, err = op.find(tx, r)
		return err
	})
	return rowInfo(row), err
}

// Seats lists the seats of a room, or of all rooms where room is empty.
func (s *Service) Seats(ctx context.Context, room string) ([]Info, error) {
	var list []Info
	err := s.store.View(ctx, func(tx *Tx) error {
		where, args := `ORDER BY s.id`, []any(nil)
		if room != "" {
			where, args = `WHERE s.room_id = $1 ORDER BY s.membership_id`, []any{room}
		}
		rows, err := seatsWhere(tx, where, args...)
		for _, r := range rows {
			list = append(list, r.Info)
		}
		return err
	})
	return list, err
}

func seatsWhere(tx *Tx, where string, args ...any) ([]*seatRow, error) {
	var list []*seatRow
	err := tx.all(`SELECT `+seatColumns+where, args, func(r *sql.Rows) error {
		x := &seatRow{}
		list = append(list, x)
		return r.Scan(x.fields()...)
	})
	return list, err
}

// seatByID is nil where there is no such seat.
func seatByID(tx *Tx, id arc.SeatID) (*seatRow, error) {
	list, err := seatsWhere(tx, `WHERE s.id = $1`, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// maxCandidates is how many seats a refusal names of those that could be meant.
const maxCandidates = 20

// resolve finds the seat that r names. Seats that nobody runs from here don't count
// beside one that is. Codes: not_found, seat_ambiguous with candidates,
// seat_not_managed.
func resolve(tx *Tx, r Ref) (*seatRow, error) {
	var room string
	known, err := tx.one(`SELECT room_id FROM run WHERE id = $1`, []any{r.RunID}, &room)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, notFound("run", "there is no room %q, and no run of that id; run_id is the name of a room or the id of one of its runs.", page.First(r.RunID, 80))
	}
	// Each of these is answered by an index, however many seats the room has.
	where, args := `WHERE s.room_id = $1`, []any{room}
	switch {
	case r.MembershipID != "" && r.AgentID != "":
		where, args = where+` AND s.membership_id = $2 AND s.agent_id = $3`, append(args, r.MembershipID, r.AgentID)
	case r.MembershipID != "":
		where, args = where+` AND s.membership_id = $2`, append(args, r.MembershipID)
	case r.AgentID != "":
		where, args = where+` AND s.agent_id = $2`, append(args, r.AgentID)
	}
	found, err := seatsWhere(tx, where+` AND s.managed = 1 ORDER BY s.membership_id LIMIT `+decimal(maxCandidates+1), args...)
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		other, err := seatsWhere(tx, where+` LIMIT 1`, args...)
		if err != nil {
			return nil, err
		}
		if len(other) > 0 {
			return nil, refuse(SeatNotManaged, nil, "this seat is not run from here; it has no memory that could be changed.")
		}
		return nil, notFound("seat", "this run has no such seat; leave out membership_id and agent_id, or take both from one candidate.")
	}
	var c []Ref
	for _, x := range found[:min(len(found), maxCandidates)] {
		c = append(c, x.ref())
	}
	many := decimal(int64(len(c)))
	if len(found) > maxCandidates {
		many = "more than " + many
	}
	return nil, refuse(SeatAmbiguous, detail{"candidates": c}, "this run has %s such seats; name one by membership_id.", many)
}

func (x *seatRow) ref() Ref { return Ref{x.Run, x.Membership, x.Agent} }
