package seat

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// Stays is what forgotten turns leave behind: forgetting is of the conversation
// only, and undoes nothing.
type Stays struct {
	Files         []StaysFile    `json:"files"`           // changed
	ShellCommands []StaysCommand `json:"shell_commands"`  // run
	Tasks         []StaysThing   `json:"tasks"`           // of plans that were approved, and what reporters tell
	Claims        []StaysThing   `json:"claims"`          // that reporters tell of
	Artifacts     []StaysThing   `json:"artifacts"`       // that reporters tell of
	Decisions     []StaysThing   `json:"decisions"`       // approved plans, and what reporters tell
	JobsRunning   []StaysThing   `json:"jobs_running"`    // background jobs that run still
	MCPCalls      []StaysThing   `json:"mcp_calls"`       // of the tools of services
	Other         []StaysOther   `json:"other,omitempty"` // of kinds that hosts made up

	// Complete is false if somebody could not tell what there is, or a call had begun
	// and nobody knows whether it took effect.
	Complete bool     `json:"complete"`
	Unknown  []string `json:"unknown,omitempty"` // why it is not: reporters and calls by name
}

// What stays, by kind.
type (
	StaysFile struct {
		Path     string `json:"path"`                // within the project
		ChangeID string `json:"change_id,omitempty"` // as workspace_undo takes it
		Kind     string `json:"kind"`                // what was done to it
		Undoable bool   `json:"undoable"`            // by workspace_undo
	}
	StaysCommand struct {
		SpoolID string `json:"spool_id,omitempty"` // as shell_output takes it
		Exit    *int   `json:"exit"`               // null: it runs, or nobody knows; a Touch says it by a note that begins "exit 2: "
		Command string `json:"command,omitempty"`  // its start
	}
	StaysThing struct {
		ID   string `json:"id"`             // as whoever keeps it names it
		Note string `json:"note,omitempty"` // what it is, in a few words
	}
	StaysOther struct {
		Kind string `json:"kind"`           // the host's word for it
		ID   string `json:"id"`             // as whoever keeps it names it
		Note string `json:"note,omitempty"` // what it is, in a few words
	}
)

// stays asks everybody what the turns did: their own steps, the room, and the
// operator's reporters. What two of them tell is told once.
func (s *Service) stays(ctx context.Context, op Operator, seat arc.SeatID, turns []arc.TurnID) (*Stays, error) {
	out := &Stays{
		Files: []StaysFile{}, ShellCommands: []StaysCommand{}, Tasks: []StaysThing{}, Claims: []StaysThing{}, Artifacts: []StaysThing{},
		Decisions: []StaysThing{}, JobsRunning: []StaysThing{}, MCPCalls: []StaysThing{}, Complete: true,
	}
	var asking sync.WaitGroup // nobody waits for it: who hangs holds up no verb
	seen := map[string]bool{}
	for i, a := range reports(ctx, op.Reporters, &asking, seat, turns) {
		if a.err != nil {
			name := op.Reporters[i].Name
			s.log.Warn("a reporter could not tell what turns did", "reporter", name, "err", a.err)
			out.Complete = false
			out.Unknown = append(out.Unknown, name)
		}
		out.add(seen, a.touched, step{})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	place := map[arc.TurnID]int{}
	for i, id := range turns {
		place[id] = i
	}
	err := s.store.View(ctx, func(tx *Tx) error {
		for some := range slices.Chunk(turns, atOnce) {
			var args []any
			steps, err := stepsOf(tx, `turn_id `+in(&args, some), args...)
			if err != nil {
				return err
			}
			slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(place[a.turn], place[b.turn]) })
			for _, p := range steps {
				if !p.ended {
					out.Complete = false
					out.Unknown = append(out.Unknown, p.tool+" (call "+p.call+")")
				}
				out.add(seen, p.touched, p)
			}
		}
		return out.plans(tx, seat, turns)
	})
	if op.Jobs != nil {
		ctx, cancel := context.WithTimeout(ctx, patience) // one that cannot be asked is told as running
		defer cancel()
		out.JobsRunning = slices.DeleteFunc(out.JobsRunning, func(j StaysThing) bool {
			_, ended := jobOutcome(ctx, patient{op.Jobs, &asking}, seat, j.ID)
			return ended
		})
	}
	return out, err
}

// report is what a reporter tells.
type report struct {
	touched []arc.Touch
	err     error // it could not tell all
}

// reports asks all reporters at once, so that those who hang cost the time of one.
func reports(ctx context.Context, list []Reporter, asking *sync.WaitGroup, seat arc.SeatID, turns []arc.TurnID) []report {
	told := make([]report, len(list))
	var waiting sync.WaitGroup
	for i, r := range list {
		waiting.Go(func() {
			var err error
			told[i], err = ask(ctx, asking, func(ctx context.Context) (a report, _ error) {
				a.touched, a.err = r.Touched(ctx, seat, slices.Clone(turns))
				return a, nil
			})
			told[i].err = cmp.Or(told[i].err, err)
		})
	}
	waiting.Wait()
	return told
}

// plans adds the decisions and tasks of plans that were approved.
func (o *Stays) plans(tx *Tx, seat arc.SeatID, turns []arc.TurnID) error {
	return tx.all(`SELECT id, turn_id, summary, task_id FROM plan WHERE seat_id = $1 AND state = 'approved' ORDER BY revision`, []any{seat}, func(r *sql.Rows) error {
		var id, summary string
		var turn arc.TurnID
		var task int64
		if err := r.Scan(&id, &turn, &summary, &task); err != nil || !slices.Contains(turns, turn) {
			return err
		}
		o.Decisions = append(o.Decisions, StaysThing{id, page.First(summary, 200)})
		o.Tasks = append(o.Tasks, StaysThing{decimal(task), page.First(summary, 200)})
		return nil
	})
}

// add lists what was touched, by a call where by is one, unless it has been seen.
func (o *Stays) add(seen map[string]bool, touched []arc.Touch, by step) {
	for _, t := range touched {
		key := t.Kind + "\x00" + t.ID
		switch t.ID {
		case "":
			key += "\x00" + t.Path + "\x00" + t.Note
		case by.call: // which other turns have as well
			key += "\x00" + string(by.turn)
		}
		if t.Kind == "read" || seen[key] {
			continue
		}
		seen[key] = true
		thing := StaysThing{t.ID, page.First(t.Note, 200)}
		switch t.Kind {
		case "changed":
			kind, _, _ := strings.Cut(t.Note, " ")
			o.Files = append(o.Files, StaysFile{t.Path, t.ID, kind, t.Undoable})
		case "command":
			exit, command := exitOf(t.Note)
			o.ShellCommands = append(o.ShellCommands, StaysCommand{t.ID, exit, page.First(command, 200)})
		case "job":
			o.JobsRunning = append(o.JobsRunning, thing)
		case "call":
			o.MCPCalls = append(o.MCPCalls, thing)
		case "task":
			o.Tasks = append(o.Tasks, thing)
		case "claim":
			o.Claims = append(o.Claims, thing)
		case "artifact":
			o.Artifacts = append(o.Artifacts, thing)
		case "decision":
			o.Decisions = append(o.Decisions, thing)
		default:
			o.Other = append(o.Other, StaysOther{t.Kind, t.ID, thing.Note})
		}
	}
}

// exitOf splits the note of a command into its exit code, where that is told, and
// itself.
func exitOf(note string) (*int, string) {
	rest, told := strings.CutPrefix(note, "exit ")
	number, command, more := strings.Cut(rest, ": ")
	code, err := strconv.Atoi(number)
	if !told || !more || err != nil {
		return nil, note
	}
	return &code, command
}
