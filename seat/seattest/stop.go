package seattest

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc/seat"
)

// stopped holds a Stop of another service, over an opening of its own where the store has
// several, to what one of the turn's own service does.
func stopped(t *testing.T, open func() seat.Store) {
	s := open()
	defer s.Close()
	other := s
	if s.Opening() == "" {
		other = open()
		defer other.Close()
	}
	here, there := service(t, s, nil), service(t, other, nil)
	for _, by := range []struct {
		name string
		svc  *seat.Service
	}{{"its own service", here}, {"another", there}} {
		for _, c := range []struct {
			name string
			goes func(ctx context.Context, leave func()) (string, error) // on, when it is stopped
			said string
		}{
			{"and its handler ends with its context", func(ctx context.Context, _ func()) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}, "so far"},
			{"and its handler answers all the same", func(context.Context, func()) (string, error) { return "an answer", nil }, "an answer"},
			{"and its handler fails", func(context.Context, func()) (string, error) { return "", errors.New("no") }, "so far"},
			{"and its host is stopped too", func(ctx context.Context, leave func()) (string, error) {
				leave()
				return "", ctx.Err()
			}, "so far"},
		} {
			t.Run("by "+by.name+" "+c.name, func(t *testing.T) {
				if _, err := here.Send(t.Context(), seat.Prompt{Ref: demo, Text: "work"}); err != nil {
					t.Fatal(err)
				}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				turns := 0
				err := here.Run(ctx, func(ctx context.Context, x *seat.Turn) (string, error) {
					if turns++; turns > 1 {
						return "another turn", nil
					}
					if err := x.Say(ctx, "so far"); err != nil {
						t.Error(err)
					}
					if id, err := by.svc.Stop(context.WithoutCancel(ctx), demoSeat); id != x.Origin.Turn || err != nil {
						t.Errorf("stopped %q, %v, want %s", id, err, x.Origin.Turn)
					}
					return c.goes(ctx, leave)
				}, &seat.RunOptions{Idle: true})
				if err != nil && ctx.Err() == nil || turns != 1 {
					t.Errorf("%d turns, %v", turns, err)
				}
				st, err := there.Status(t.Context(), operator, seat.StatusArgs{Ref: demo})
				if err != nil || st.Busy != nil || len(st.Turns) == 0 || st.Turns[0].State != seat.StatusFailed {
					t.Errorf("the seat stands at %+v, %v", st, err)
				}
				list, err := there.Messages(t.Context(), "demo", 0, 0)
				if err != nil || len(list) == 0 || list[len(list)-1].Text != c.said {
					t.Errorf("the room has %+v, %v, want %q last", list, err, c.said)
				}
			})
		}
	}
}
