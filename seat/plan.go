package seat

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc"
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
	ID       string
	Seat     arc.SeatID
	Turn     arc.TurnID
	Revision int64 // counts the seat's plans
	Plan     arc.Plan
	State    string
	Task     int64 // of an approved one: the task whose parts are its subtasks
	At       time.Time
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
		if h.t.Project {
			seen, err := inspected(tx, x)
			if err != nil {
				return "", nil, err
			}
			if !seen {
				problems = append(problems, "workspace_not_inspected: list, read or search the files before you plan")
			}
		}
		if len(problems) > 0 {
			return "", nil, refuse(PlanInvalid, detail{"problems": problems}, "the plan was not recorded; mend its %d problems and submit it again.", len(problems))
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
			r.PlanID, x.seat, x.id, call, r.Revision, p.Summary, string(body), h.svc().nowMicros())
		return p.Summary, r, err
	})
}

// planProblems are all that is wrong with a plan by itself.
func (h *hold) planProblems(ctx context.Context, p arc.Plan) []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if strings.TrimSpace(p.Summary) == "" {
		add("summary is blank")
	}
	if n := len(p.Subtasks); n < 1 || n > maxSubtasks {
		add("a plan has 1 to %d subtasks, this one has %d", maxSubtasks, n)
	}
	for i, t := range p.Subtasks {
		for _, f := range []struct{ name, text string }{{"title", t.Title}, {"instruction", t.Instruction}, {"acceptance", t.Acceptance}} {
			if strings.TrimSpace(f.text) == "" {
				add("subtask %d: %s is blank", i+1, f.name)
			}
		}
		if len(t.TargetFiles) == 0 {
			add("subtask %d: target_files is empty", i+1)
		}
		for _, file := range t.TargetFiles {
			if why := h.pathFault(ctx, file); why != "" {
				add("subtask %d: %q %s", i+1, head(file, 200), why)
			}
		}
	}
	return problems
}

// pathFault says why a plan cannot name a file.
func (h *hold) pathFault(ctx context.Context, file string) string {
	switch clean := path.Clean(file); {
	case strings.TrimSpace(file) == "" || clean == ".":
		return "is no file"
	case strings.ContainsAny(file, "*?"): // other letters of patterns are in names too: [id].tsx
		return "is a pattern; name each file"
	case !utf8.ValidString(file) || strings.ContainsFunc(file, unicode.IsControl):
		return "is no name that could be written down"
	case path.IsAbs(file) || strings.Contains(file, `\`) || len(file) > 1 && file[1] == ':':
		return "is not a relative path with slashes"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "leads out of the project"
	}
	if h.t.Project && h.t.o.Paths != nil {
		if err := h.t.o.Paths.CheckTarget(ctx, file); err != nil {
			return err.Error()
		}
	}
	return ""
}

// inspected reports whether the seat has looked at the project since the run's last
// prompt of the operator.
func inspected(tx *Tx, x *turnRow) (bool, error) {
	var n int64
	_, err := tx.one(`SELECT COUNT(*) FROM step WHERE ended = 1 AND failed = ''
		AND (tool IN ('workspace_list', 'workspace_read', 'workspace_search') OR tool LIKE 'workspace_document_%')
		AND turn_id IN (SELECT id FROM turn WHERE seat_id = $1 AND run_id = $2 AND (live = 1 OR status = 'running') AND seq >=
			(SELECT COALESCE(MAX(seq), $3) FROM turn WHERE seat_id = $1 AND run_id = $2 AND origin <> 'wake' AND (live = 1 OR status = 'running')))`,
		[]any{x.seat, x.run, x.seq}, &n)
	return n > 0, err
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

// Reject turns a plan down. Codes: those of Approve.
func (s *Service) Reject(ctx context.Context, op Operator, plan string, revision int64) (PlanRecord, error) {
	return s.decide(ctx, op, plan, revision, func(tx *Tx, _ *seatRow, p *PlanRecord) error {
		if p.State == PlanApproved {
			return refuse(RevisionMismatch, detail{"current": p.Revision}, "the plan was approved already; cancel its tasks instead.")
		}
		p.State = PlanRejected
		_, err := tx.Exec(`UPDATE plan SET state = 'rejected' WHERE id = $1`, p.ID)
		return err
	})
}

func (s *Service) decide(ctx context.Context, op Operator, plan string, revision int64, fn func(*Tx, *seatRow, *PlanRecord) error) (PlanRecord, error) {
	var p PlanRecord
	err := s.update(ctx, func(tx *Tx) error {
		list, err := planRows(tx, `WHERE id = $1`, plan)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return notFound("plan", "there is no plan %q.", head(plan, 80))
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
