package seattest

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Everything lets a service do all that it can in an empty store, so that all its queries
// are asked.
func Everything(t *testing.T, store seat.Store) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	svc, err := seat.Open(ctx, store, &seat.Options{Mirror: func(context.Context, seat.RoomOp) error { return nil }})
	must(err)
	_, err = svc.Join(ctx, seat.Spec{Room: "demo"})
	must(err)
	op := seat.Operator{}
	turn := func(text string, mode arc.Mode, h seat.Handler) arc.TurnID {
		t.Helper()
		_, err := svc.Send(ctx, seat.Prompt{Ref: demo, Text: text, Mode: mode, OriginID: text})
		must(err)
		must(svc.Run(ctx, h, &seat.RunOptions{Idle: true, Jobs: noJobs{}}))
		c, err := svc.Context(ctx, op, seat.ContextArgs{Ref: demo})
		must(err)
		return c.LastTurnID
	}
	say := func(context.Context, *seat.Turn) (string, error) { return "r", nil }
	task, err := svc.AddTask(ctx, seat.Message{Room: "demo", Text: "task"})
	must(err)
	part, err := svc.AddTask(ctx, seat.Message{Room: "demo", Text: "part", Parent: task})
	must(err)
	for i := range 14 {
		turn(string(rune('a'+i)), arc.Ordinary, say)
	}
	turn("tools", arc.Ordinary, func(ctx context.Context, x *seat.Turn) (string, error) {
		if _, err := x.Step(ctx); err != nil {
			return "", err
		}
		if _, err := x.Seat.SaveNotes(ctx, "1", "n"); err != nil {
			return "", err
		}
		if _, err := x.Seat.Remind(ctx, "2", arc.Reminder{After: 3600e9, Note: "n"}); err != nil {
			return "", err
		}
		x.Compact()
		if _, err := x.Step(ctx); err != nil {
			return "", err
		}
		if err := x.Say(ctx, "so far"); err != nil {
			return "", err
		}
		_, err := x.Seat.Wait(ctx, "3", arc.Wait{TaskID: task, Note: "n"})
		return "", err
	})
	must(svc.EndTask(ctx, part, seat.TaskDone))
	must(svc.Notify(ctx, "demo/main", "job_1", "completed", "ended"))
	last := turn("more", arc.Ordinary, say)
	_, err = svc.EditReply(ctx, op, seat.EditArgs{Ref: demo, TurnID: string(last), Content: "new", RequestID: "1"})
	must(err)
	_, err = svc.Exclude(ctx, op, seat.ExcludeArgs{Ref: demo, TurnID: string(last), RequestID: "2"})
	must(err)
	_, _, err = svc.Retry(ctx, op, seat.RetryArgs{Ref: demo, TurnID: string(last), DryRun: true})
	must(err)
	_, _, err = svc.Retry(ctx, op, seat.RetryArgs{Ref: demo, TurnID: string(last), RequestID: "3", Message: new("again")})
	must(err)
	last = turn("plan", arc.Planning, func(ctx context.Context, x *seat.Turn) (string, error) {
		if x.Mode != arc.Planning {
			return "r", nil
		}
		_, err := x.Seat.SubmitPlan(ctx, "1", arc.Plan{Summary: "s", Subtasks: []arc.Subtask{{Title: "t", Instruction: "i", Acceptance: "a", TargetFiles: []string{"f"}}}})
		return "", err
	})
	plans, err := svc.Plans(ctx, "demo/main")
	must(err)
	approved, err := svc.Approve(ctx, op, plans[0].ID, plans[0].Revision)
	must(err)
	_, err = svc.Tasks(ctx, "demo")
	must(err)
	_, err = svc.Messages(ctx, "demo", 0, 10)
	must(err)
	_, err = svc.Audit(ctx, 1)
	must(err)
	_, err = svc.Asked(ctx, last)
	must(err)
	must(svc.Bind(ctx, "demo/main", ""))
	_, err = svc.Status(ctx, op, seat.StatusArgs{Ref: demo, Before: string(last)})
	must(err)
	wakes, err := svc.Wakes(ctx, "demo/main")
	must(err)
	for _, w := range wakes {
		_, err = svc.Wake(ctx, w.ID)
		must(err)
	}
	_, _, err = svc.Await(ctx, "q_none")
	if !errors.Is(err, arc.NotFound) {
		t.Errorf("got %v", err)
	}
	_, err = svc.Stop(ctx, "demo/main")
	must(err)
	_, _, err = svc.Rewind(ctx, op, seat.RewindArgs{Ref: demo, TurnID: string(last), RequestID: "4"})
	must(err)
	turn("arm", arc.Ordinary, func(ctx context.Context, x *seat.Turn) (string, error) {
		_, err := x.Seat.Remind(ctx, "1", arc.Reminder{After: 3600e9, Note: "n"})
		return "r", err
	})
	must(svc.EndTask(ctx, approved.Task, seat.TaskCancelled))
	last = turn("finish", arc.Ordinary, func(ctx context.Context, x *seat.Turn) (string, error) {
		_, err := x.Seat.Finish(ctx, "1", arc.Finish{Summary: "s"})
		return "r", err
	})
	f, _, err := svc.Rewind(ctx, op, seat.RewindArgs{Ref: demo, TurnID: string(last)})
	must(err)
	if f.ReopenedRun == "" || len(f.RearmedWakes) == 0 {
		t.Errorf("got %+v", f)
	}
	_, err = svc.Seats(ctx, "demo")
	must(err)
	_, err = svc.Context(ctx, op, seat.ContextArgs{Ref: seat.Ref{RunID: "demo", MembershipID: "main", AgentID: "agent"}})
	must(err)
	_, err = svc.Context(ctx, op, seat.ContextArgs{Ref: seat.Ref{RunID: "demo", AgentID: "agent"}})
	must(err)
}

// noJobs knows no job.
type noJobs struct{}

func (noJobs) JobStatus(context.Context, arc.SeatID, string) (string, bool, error) {
	return "", false, arc.NotFound
}
