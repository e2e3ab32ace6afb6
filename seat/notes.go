package seat

import (
	"context"

	"github.com/arcseat/arc"
)

// MaxNotes is how long a seat's notes may be, in characters.
const MaxNotes = 4000

type notesResult struct {
	Chars   int    `json:"chars"`
	SHA256  string `json:"sha256"`
	Version int64  `json:"version"`
}

// SaveNotes replaces the seat's notes. Nothing is cut: notes that are too long are
// refused, and the old ones stay. A call that was made before saves nothing, and is told
// what it saved then. Codes: invalid_arguments with chars and limit in
// its detail, and those of a turn that is over.
func (h *hold) SaveNotes(ctx context.Context, call, notes string) (*arc.Result, error) {
	notes = storable(notes)
	if n := chars(notes); n > MaxNotes {
		return nil, refuse(arc.InvalidArguments, detail{"reason": "notes_too_long", "chars": n, "limit": MaxNotes},
			"the notes have %d characters and nothing was saved; shorten them to %d.", n, MaxNotes)
	}
	var version int64
	err := h.going(ctx, func(tx *Tx, x *turnRow) error {
		found, err := tx.one(`SELECT version, text FROM notes WHERE turn_id = $1 AND call_id = $2`, []any{x.id, call}, &version, &notes)
		if err != nil || found {
			return err
		}
		if _, err := tx.one(`SELECT COALESCE(MAX(version), 0) + 1 FROM notes WHERE seat_id = $1`, []any{x.seat}, &version); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO notes (seat_id, version, turn_id, call_id, text, live, at_us) VALUES ($1, $2, $3, $4, $5, 1, $6)`,
			x.seat, version, x.id, call, notes, h.t.svc.now(tx))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: notesResult{Chars: chars(notes), SHA256: hash(notes), Version: version}}, nil
}

// A NotesInfo says which notes a seat has.
type NotesInfo struct {
	Version int64      `json:"version"`       // counts what the seat saved
	Chars   int        `json:"chars"`         // characters
	SHA256  string     `json:"sha256"`        // of the notes
	SavedBy arc.TurnID `json:"saved_by_turn"` // the turn that did
}

// notesOf are the seat's notes: the last that were saved by a turn that stands.
func notesOf(tx *Tx, seat arc.SeatID) (string, *NotesInfo, error) {
	return notesBefore(tx, seat, 1<<62)
}

// notesBefore are the notes that the seat had before the turn with the number seq.
func notesBefore(tx *Tx, seat arc.SeatID, seq int64) (string, *NotesInfo, error) {
	var text string
	var n NotesInfo
	found, err := tx.one(`SELECT n.text, n.version, n.turn_id FROM notes n JOIN turn t ON t.id = n.turn_id
		WHERE n.seat_id = $1 AND n.live = 1 AND t.seq < $2 ORDER BY n.version DESC LIMIT 1`, []any{seat, seq}, &text, &n.Version, &n.SavedBy)
	if err != nil || !found {
		return "", nil, err
	}
	n.Chars, n.SHA256 = chars(text), hash(text)
	return text, &n, nil
}
