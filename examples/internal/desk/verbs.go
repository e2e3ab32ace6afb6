package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// None are the arguments of a verb that has none.
type None struct{}

// A Seat is one of a project's seats.
type Seat struct {
	RunID        string     `json:"run_id"`        // the run that its room is in
	Room         string     `json:"room"`          // its name
	MembershipID string     `json:"membership_id"` // of the seat in the room
	ID           arc.SeatID `json:"seat_id"`       // the seat's own
	Finished     bool       `json:"run_finished"`  // its run is finished
}

// SeatsArgs name a room. Empty: all of them.
type SeatsArgs struct {
	Room string `json:"room,omitempty"` // empty: every room
}

// maxSeats is how many seats are listed: an answer has its limit, a project none.
const maxSeats = 100

// seats lists the managed seats of a room, or the first of each room, maxSeats at most.
func seats(s *seat.Service, ctx context.Context, _ seat.Operator, a SeatsArgs) ([]Seat, error) {
	all, err := s.Seats(ctx, a.Room)
	list := []Seat{}
	listed := map[string]bool{}
	for _, i := range all {
		if i.Managed && len(list) < maxSeats && !listed[i.Room] {
			list = append(list, Seat{i.Run, i.Room, i.Membership, i.ID, i.Finished})
			listed[i.Room] = a.Room == ""
		}
	}
	return list, err
}

// hello is answered by whoever is there.
func hello(*seat.Service, context.Context, seat.Operator, None) (None, error) { return None{}, nil }

// A Plan is a plan and what became of it.
type Plan struct {
	ID       string     `json:"plan_id"`           // names it for approve and reject
	Revision int64      `json:"revision"`          // that a decision names
	State    string     `json:"state"`             // submitted, approved or rejected
	TurnID   arc.TurnID `json:"turn_id"`           // that submitted it
	Task     int64      `json:"task_id,omitempty"` // that its approval made; 0: none
	At       time.Time  `json:"at"`                // when it was submitted
	Summary  string     `json:"summary"`           // what it is for
	Subtasks []Subtask  `json:"subtasks"`          // in order
}

// A Subtask is one step of a plan.
type Subtask struct {
	Title       string   `json:"title"`        // a few words
	Instruction string   `json:"instruction"`  // what is to be done
	Acceptance  string   `json:"acceptance"`   // how one sees that it is done
	TargetFiles []string `json:"target_files"` // that it is to change
}

func plan(p seat.PlanRecord) Plan {
	v := Plan{p.ID, p.Revision, p.State, p.Turn, p.Task, p.At, p.Plan.Summary, nil}
	for _, t := range p.Plan.Subtasks {
		v.Subtasks = append(v.Subtasks, Subtask{t.Title, t.Instruction, t.Acceptance, t.TargetFiles})
	}
	return v
}

// plans lists a seat's plans, the newest first.
func plans(s *seat.Service, ctx context.Context, op seat.Operator, r seat.Ref) ([]Plan, error) {
	at, err := s.Seat(ctx, op, r)
	if err != nil {
		return nil, err
	}
	all, err := s.Plans(ctx, at.ID)
	list := []Plan{}
	for _, p := range all {
		list = append(list, plan(p))
	}
	return list, err
}

// DecideArgs name the plan that was read. Without a revision it is the plan's own.
type DecideArgs struct {
	seat.Ref
	PlanID   string `json:"plan_id"`            // which
	Revision int64  `json:"revision,omitempty"` // that was read; 0: the plan's own
}

func approve(s *seat.Service, ctx context.Context, op seat.Operator, a DecideArgs) (Plan, error) {
	return decide(ctx, s, op, a, s.Approve)
}

func reject(s *seat.Service, ctx context.Context, op seat.Operator, a DecideArgs) (Plan, error) {
	return decide(ctx, s, op, a, s.Reject)
}

func decide(ctx context.Context, s *seat.Service, op seat.Operator, a DecideArgs,
	do func(context.Context, seat.Operator, string, int64) (seat.PlanRecord, error)) (Plan, error) {
	if a.Revision == 0 { // an id that is not the newest plan's is refused all the same
		list, err := plans(s, ctx, op, a.Ref)
		if err != nil {
			return Plan{}, err
		}
		for _, p := range list {
			if p.ID == a.PlanID {
				a.Revision = p.Revision
			}
		}
	}
	p, err := do(ctx, op, a.PlanID, a.Revision)
	if err != nil {
		return Plan{}, err
	}
	return plan(p), nil
}

// A Task is a task of a room.
type Task struct {
	ID       int64     `json:"task_id"`             // names it
	Parent   int64     `json:"parent_id,omitempty"` // the task that it is a part of; 0: none
	State    string    `json:"state"`               // open, done or cancelled
	Assignee string    `json:"assignee,omitempty"`  // who is to do it; empty: nobody
	Text     string    `json:"text"`                // what is to be done
	At       time.Time `json:"at"`                  // when it was added
	NewRoom  bool      `json:"new_room,omitempty"`  // it was made for this task
}

func task(m seat.Message) Task {
	return Task{ID: m.ID, Parent: m.Parent, State: m.State, Assignee: m.Assignee, Text: m.Text, At: m.At}
}

// tasks lists a room's tasks.
func tasks(s *seat.Service, ctx context.Context, op seat.Operator, r seat.Ref) ([]Task, error) {
	at, err := s.Seat(ctx, op, r)
	if err != nil {
		return nil, err
	}
	all, err := s.Tasks(ctx, at.Room)
	list := []Task{}
	for _, m := range all {
		list = append(list, task(m))
	}
	return list, err
}

// AddTaskArgs are a new task.
type AddTaskArgs struct {
	seat.Ref
	Text   string `json:"text"`                // what is to be done
	Parent int64  `json:"parent_id,omitempty"` // the task that it is a part of; 0: none
}

// addTask makes the room as well if it is missing: work may be laid out before an
// agent is ever run.
func addTask(s *seat.Service, ctx context.Context, op seat.Operator, a AddTaskArgs) (Task, error) {
	at, err := s.Seat(ctx, op, a.Ref)
	made := errors.Is(err, arc.NotFound) && a.MembershipID == "" && a.Parent == 0 && strings.TrimSpace(a.Text) != ""
	if made {
		at, err = s.Join(ctx, seat.Spec{Room: a.RunID})
	}
	if err != nil {
		return Task{}, err
	}
	id, err := s.AddTask(ctx, seat.Message{Room: at.Room, Author: op.Name, Text: a.Text, Parent: a.Parent})
	if err != nil {
		return Task{}, err
	}
	t, err := taskIn(ctx, s, at.Room, id)
	t.NewRoom = made
	return t, err
}

// EndTaskArgs end a task as done or cancelled.
type EndTaskArgs struct {
	seat.Ref
	TaskID int64  `json:"task_id"` // which
	State  string `json:"state"`   // done or cancelled
}

func endTask(s *seat.Service, ctx context.Context, op seat.Operator, a EndTaskArgs) (Task, error) {
	at, err := s.Seat(ctx, op, a.Ref)
	if err != nil {
		return Task{}, err
	}
	if _, err := taskIn(ctx, s, at.Room, a.TaskID); err != nil {
		return Task{}, err
	}
	if err := s.EndTask(ctx, a.TaskID, a.State); err != nil {
		return Task{}, err
	}
	return taskIn(ctx, s, at.Room, a.TaskID)
}

func taskIn(ctx context.Context, s *seat.Service, room string, id int64) (Task, error) {
	all, err := s.Tasks(ctx, room)
	if err != nil {
		return Task{}, err
	}
	for _, m := range all {
		if m.ID == id {
			return task(m), nil
		}
	}
	return Task{}, &arc.Error{Code: arc.NotFound, Message: fmt.Sprintf("there is no task %d in this room.", id)}
}

// Stopped is the turn that was ended; empty: there was none.
type Stopped struct {
	TurnID arc.TurnID `json:"turn_id,omitempty"` // empty: there was none
}

// stop ends the turn that a seat is in.
func stop(s *seat.Service, ctx context.Context, op seat.Operator, r seat.Ref) (Stopped, error) {
	at, err := s.Seat(ctx, op, r)
	if err != nil {
		return Stopped{}, err
	}
	turn, err := s.Stop(ctx, at.ID)
	return Stopped{turn}, err
}

// serves tells what the process behind the door runs.
func (h at) serves(context.Context, seat.Operator, None) (Serving, error) {
	if h.serving == nil {
		return Serving{}, unavailable("nobody", "nobody runs turns here; run examples/agent.")
	}
	return *h.serving, nil
}

// SendArgs are a prompt, and what its sender allows.
type SendArgs struct {
	seat.Ref
	Text     string   `json:"text"`                // the prompt
	Mode     arc.Mode `json:"mode,omitempty"`      // of its turn
	MaxSteps int      `json:"max_steps,omitempty"` // of its turn; 0: as many as usual
	Terms    Terms    `json:"terms"`               // what the sender allows
}

// send queues a prompt for the process behind the door, which runs it on the narrower
// terms: its own or the sender's. Where it serves every room, one that is missing is
// made.
func (h at) send(ctx context.Context, op seat.Operator, a SendArgs) (seat.Queued, error) {
	serving, err := h.serves(ctx, op, None{})
	if err != nil {
		return seat.Queued{}, err
	}
	there, err := h.seats.Seat(ctx, op, a.Ref)
	room := there.Room
	missing := errors.Is(err, arc.NotFound)
	if missing {
		room, err = a.RunID, nil
	}
	if err != nil {
		return seat.Queued{}, err
	}
	if _, err := serving.Take(room, a.Terms); err != nil {
		return seat.Queued{}, err
	}
	if missing {
		if _, err := h.seats.Join(ctx, seat.Spec{Room: room}); err != nil {
			return seat.Queued{}, err
		}
	}
	meta, err := a.Terms.meta()
	if err != nil {
		return seat.Queued{}, err
	}
	return h.seats.Send(ctx, seat.Prompt{Ref: a.Ref, Author: op.Name, Text: a.Text, Mode: a.Mode, MaxSteps: a.MaxSteps, Meta: meta})
}
