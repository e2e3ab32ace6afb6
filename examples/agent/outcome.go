package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/seat"
)

// A failure is a turn that has failed.
type failure struct {
	room string
	turn arc.TurnID
}

// begun notes the turns that were begun before: one that was interrupted twice fails
// without being run again.
func (s *sitting) begun(ctx context.Context) error {
	return s.each(ctx, func(i seat.Info, st *seat.Status) {
		if st.Busy != nil {
			s.before = append(s.before, failure{i.Room, st.Busy.ActiveTurnID})
		}
	})
}

// each tells how each of the seats stands.
func (s *sitting) each(ctx context.Context, do func(seat.Info, *seat.Status)) error {
	all, err := s.host.Seats.Seats(ctx, "")
	if err != nil {
		return err
	}
	for _, i := range all {
		if !i.Managed || s.ids != nil && !slices.Contains(s.ids, i.ID) {
			continue
		}
		st, err := s.host.Seats.Status(ctx, seat.Operator{}, seat.StatusArgs{Ref: seat.Ref{RunID: i.Run, MembershipID: i.Membership}, Limit: 100})
		if err != nil {
			return err
		}
		do(i, st)
	}
	return nil
}

// cut says why a turn has failed.
func (s *sitting) cut(t *seat.Turn, why error) {
	s.screen.words("The turn has failed: " + trouble.Line(why))
	s.screen.note("operator -room %s retry last runs it again, unless another turn has come after it.", t.Info.Room)
	s.broken = append(s.broken, failure{t.Info.Room, t.Origin.Turn})
}

// failures says which turns have failed and what runs them again. It returns the exit
// code.
func (s *sitting) failures(ctx context.Context, stderr io.Writer) int {
	failedNow := func(f failure, st *seat.Status) bool {
		return slices.ContainsFunc(st.Turns, func(t seat.TurnLine) bool { return t.TurnID == f.turn && t.State == seat.StatusFailed })
	}
	code := exitDone
	err := s.each(ctx, func(i seat.Info, st *seat.Status) {
		for _, f := range append(slices.Clone(s.before), s.broken...) {
			if f.room != i.Room || !failedNow(f, st) || f.turn == "" {
				continue
			}
			code = exitNotDone
			if f.turn == st.LastTurnID {
				fmt.Fprintf(stderr, "agent: the turn %s has failed; operator -room %s retry last, and then this program, run it again\n", f.turn, f.room)
				continue
			}
			fmt.Fprintf(stderr, "agent: the turn %s has failed, and others have come after it; operator -room %s rewind %[1]s goes back to before it\n", f.turn, f.room)
		}
	})
	if err != nil {
		return failed(stderr, err)
	}
	return code
}

// wakes are what the seats are to be woken for.
func (s *sitting) wakes(ctx context.Context) (list []seat.Wake, err error) {
	ids := s.ids
	if ids == nil {
		all, err := s.host.Seats.Seats(ctx, "")
		if err != nil {
			return nil, err
		}
		for _, i := range all {
			ids = append(ids, i.ID)
		}
	}
	for _, id := range ids {
		more, err := s.host.Seats.Wakes(ctx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// came tells what became of the turn of the task.
func (s *sitting) came(ctx context.Context, queue string) (code int, last string, err error) {
	status, _, err := s.host.Seats.Await(ctx, queue)
	switch status {
	case seat.StatusFailed, "dropped":
		code = exitNotDone
	}
	if status == "" {
		return code, "", err
	}
	return code, strings.ToUpper(status[:1]) + status[1:] + ".", err
}

// leave shows what the run came to and what is still to come.
func (s *sitting) leave(ctx context.Context, before *tally, last string, stderr io.Writer) int {
	if err := before.sum(ctx, s.screen, s.model, last); err != nil {
		return failed(stderr, err)
	}
	wakes, err := s.wakes(ctx)
	if err != nil {
		return failed(stderr, err)
	}
	for _, w := range wakes {
		what, due := "a reminder", "due"
		switch {
		case w.Kind == "wait" && w.Target == "":
			what = "a wait"
		case w.Kind == "wait":
			what, due = "a wait for "+w.Target, "until"
		}
		s.screen.note("Pending: %s, %s %s: %s", what, due, w.Due.Local().Format(time.DateTime), w.Note)
	}
	if len(wakes) > 0 {
		room := ""
		if s.room != "" {
			room = " -room " + s.room
		}
		s.screen.note("Only a running agent is woken: agent%s -serve runs %s.", room, map[bool]string{true: "it", false: "them"}[len(wakes) == 1])
	}
	return exitDone
}
