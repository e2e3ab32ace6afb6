package seat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// States of a plan.
const (
	PlanSubmitted  = "submitted"
	PlanApproved   = "approved"
	PlanRejected   = "rejected"
	PlanSuperseded = "superseded" // by a later one
	PlanWithdrawn  = "withdrawn"  // its turn was forgotten
)

// A PlanRecord is a plan and what became of it.
type PlanRecord struct {
	ID       string     // as Approve takes it
	Seat     arc.SeatID // whose it is
	Turn     arc.TurnID // that submitted it
	Revision int64      // counts the seat's plans
	Plan     arc.Plan   // as it was submitted
	State    string     // as PlanSubmitted and the others
	Task     int64      // of an approved one: the task whose parts are its subtasks
	At       time.Time  // when
}

// maxSubtasks is how long a plan may be.
const maxSubtasks = 12

type subtaskRef struct {
	ID int `json:"id"`
}

type planResult struct {
	Status   string       `json:"status"` // planned
	PlanID   string       `json:"plan_id"`
	Revision int64        `json:"revision"`
	Subtasks []subtaskRef `json:"subtasks"`
}

// SubmitPlan records a plan and ends the turn. An earlier plan that nobody has
// decided on is superseded. Codes: plan_invalid with all problems in its detail, and
// those of a turn that is over.
func (h *hold) SubmitPlan(ctx context.Context, call string, p arc.Plan) (*arc.Result, error) {
	problems := h.planProblems(ctx, p)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return h.terminal(ctx, call, StatusPlanned, arc.Planned, func(tx *Tx, x *turnRow) (string, any, error) {
		problems := slices.Clip(problems)
		if h.t.Project {
			seen, err := inspected(tx, x)
			if err != nil {
				return "", nil, err
			}
			if !seen {
				problems = append(problems, notInspected)
			}
		}
		if len(problems) > 0 {
			what := "its problem"
			if len(problems) > 1 {
				what = fmt.Sprintf("its %d problems", len(problems))
			}
			return "", nil, refuse(PlanInvalid, detail{"problems": problems}, "the plan was not recorded; mend %s and submit it again.", what)
		}
		body, err := json.Marshal(p)
		if err != nil {
			return "", nil, err
		}
		r := planResult{Status: "planned", PlanID: "plan_" + random()}
		if _, err := tx.one(`SELECT COALESCE(MAX(revision), 0) + 1 FROM plan WHERE seat_id = $1`, []any{x.seat}, &r.Revision); err != nil {
			return "", nil, err
		}
		if _, err := tx.Exec(`UPDATE plan SET state = 'superseded' WHERE seat_id = $1 AND state = 'submitted'`, x.seat); err != nil {
			return "", nil, err
		}
		for i := range p.Subtasks {
			r.Subtasks = append(r.Subtasks, subtaskRef{i + 1})
		}
		_, err = tx.Exec(`INSERT INTO plan (id, seat_id, turn_id, call_id, revision, summary, body, state, at_us) VALUES ($1, $2, $3, $4, $5, $6, $7, 'submitted', $8)`,
			r.PlanID, x.seat, x.id, call, r.Revision, p.Summary, string(body), h.svc().now(tx))
		return p.Summary, r, err
	})
}

func planRows(tx *Tx, where string, args ...any) ([]PlanRecord, error) {
	rows, err := tx.Query(`SELECT id, seat_id, turn_id, revision, body, state, task_id, at_us FROM plan `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []PlanRecord
	for rows.Next() {
		var p PlanRecord
		var body string
		var at int64
		if err := rows.Scan(&p.ID, &p.Seat, &p.Turn, &p.Revision, &body, &p.State, &p.Task, &at); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(body), &p.Plan); err != nil {
			return nil, err
		}
		p.At = fromMicros(at)
		list = append(list, p)
	}
	return list, rows.Err()
}

// Plans are a seat's plans, the newest first.
func (s *Service) Plans(ctx context.Context, seat arc.SeatID) ([]PlanRecord, error) {
	var list []PlanRecord
	err := s.store.View(ctx, func(tx *Tx) (err error) {
		list, err = planRows(tx, `WHERE seat_id = $1 ORDER BY revision DESC LIMIT 100`, seat)
		return err
	})
	return list, err
}

// Approve approves the plan that the operator has read: a revision that is not the
// seat's newest is refused. It opens one task in the room and a part of it for each
// subtask, in order. Approving twice is the same as once. Codes: not_found,
// revision_mismatch, turn_superseded, forbidden.
func (s *Service) Approve(ctx context.Context, op Operator, plan string, revision int64) (PlanRecord, error) {
	return s.decide(ctx, op, plan, revision, func(tx *Tx, row *seatRow, p *PlanRecord) error {
		if p.State == PlanApproved {
			return nil
		}
		var err error
		if p.Task, err = s.addTask(tx, Message{Room: row.Room, Author: op.name(), Text: p.Plan.Summary, Meta: map[string]string{"plan_id": p.ID}}); err != nil {
			return err
		}
		for _, t := range p.Plan.Subtasks {
			text := fmt.Sprintf("%s\n\n%s\n\nDone when: %s\nFiles: %s", t.Title, t.Instruction, t.Acceptance, strings.Join(t.TargetFiles, ", "))
			if _, err := s.addTask(tx, Message{Room: row.Room, Author: op.name(), Text: text, Parent: p.Task, Meta: map[string]string{"plan_id": p.ID}}); err != nil {
				return err
			}
		}
		p.State = PlanApproved
		_, err = tx.Exec(`UPDATE plan SET state = 'approved', task_id = $1 WHERE id = $2`, p.Task, p.ID)
		return err
	})
}

// Reject turns a plan down. One that was approved already is refused as
// invalid_arguments with its task_id, because its tasks are there. Codes: those, and
// Approve's.
func (s *Service) Reject(ctx context.Context, op Operator, plan string, revision int64) (PlanRecord, error) {
	return s.decide(ctx, op, plan, revision, func(tx *Tx, _ *seatRow, p *PlanRecord) error {
		if p.State == PlanApproved {
			return refuse(arc.InvalidArguments, detail{"reason": "approved", "task_id": p.Task},
				"the plan was approved already and is task %d; cancel that task instead.", p.Task)
		}
		p.State = PlanRejected
		_, err := tx.Exec(`UPDATE plan SET state = 'rejected' WHERE id = $1`, p.ID)
		return err
	})
}

func (s *Service) decide(ctx context.Context, op Operator, plan string, revision int64, fn func(*Tx, *seatRow, *PlanRecord) error) (PlanRecord, error) {
	var p PlanRecord
	room, err := s.roomWith(ctx, `SELECT seat_id FROM plan WHERE id = $1`, plan)
	if err != nil {
		return p, err
	}
	err = s.update(ctx, room, func(tx *Tx) error {
		list, err := planRows(tx, `WHERE id = $1`, plan)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return notFound("plan", "there is no plan %q.", page.First(plan, 80))
		}
		p = list[0]
		row, err := seatByID(tx, p.Seat)
		if err == nil {
			err = op.may(row)
		}
		if err != nil {
			return err
		}
		newest, err := planRows(tx, `WHERE seat_id = $1 ORDER BY revision DESC LIMIT 1`, p.Seat)
		if err != nil {
			return err
		}
		switch {
		case p.State == PlanWithdrawn:
			return refuse(TurnSuperseded, nil, "the turn that made this plan was forgotten, and the plan with it.")
		case p.Revision != revision || newest[0].ID != p.ID:
			return refuse(RevisionMismatch, detail{"current": newest[0].Revision, "plan_id": newest[0].ID}, "this is not the plan of now; read revision %d and decide on that.", newest[0].Revision)
		}
		return fn(tx, row, &p)
	})
	return p, err
}
