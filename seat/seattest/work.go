package seattest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// An order is what the check wants of a process, which answers each: a verb of a host, or
// within a turn what the turn is to do.
type order struct {
	Verb    string
	Args    json.RawMessage
	Now     time.Time // by the check's clock, which is that of all
	Elapsed time.Duration
}

// A reply answers an order.
type reply struct {
	Value json.RawMessage
	Error *failure
	Turn  *begun // not the answer yet: a turn has begun, and the next order is of it
}

// A failure is an error on its way.
type failure struct {
	Code     arc.Code
	Message  string
	Canceled bool
}

func failed(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Message: err.Error(), Canceled: errors.Is(err, context.Canceled)}
	if e, ok := errors.AsType[*arc.Error](err); ok {
		f.Code, f.Message = e.Code, e.Message
	}
	return f
}

func (f *failure) error() error {
	switch {
	case f == nil:
		return nil
	case f.Code != "":
		return &arc.Error{Code: f.Code, Message: f.Message}
	case f.Canceled:
		return context.Canceled
	}
	return errors.New(f.Message)
}

// begun is what the check compares of a turn.
type begun struct {
	Origin       arc.Origin
	From, Prompt string
	Replay       []seat.Entry
	Notes        string
	Notices      []string
	Wakes        []seat.Wake
	Attempt      int
}

// Arguments of orders that have several, or none in a type of their own.
type (
	openArgs   struct{ MaxChars int }
	notesArgs  struct{ Call, Text string }
	remindArgs struct {
		Call     string
		Reminder arc.Reminder
	}
	forgottenReply struct {
		Done *seat.Forgotten
		Dry  *seat.DryRun
	}
)

// Work is a process's part in the model check of [Options.Process]: it opens the store and
// does what the check says on in, until that ends. What it answers goes to out, to which
// nothing else is written. What it could not do it answers; the error is that of in and out.
func Work(in io.Reader, out io.Writer, open func() (seat.Store, error)) error {
	p := &part{in: json.NewDecoder(in), out: json.NewEncoder(out), clock: NewClock(), open: open}
	defer p.close()
	for {
		o, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.answer(p.do(o)); err != nil {
			return err
		}
	}
}

// A part is a process that works for a check.
type part struct {
	in    *json.Decoder
	out   *json.Encoder
	clock *Clock
	open  func() (seat.Store, error)
	host  *local
}

// next is the next order. The clock shows the time of the check from then on.
func (p *part) next() (o order, err error) {
	if err := p.in.Decode(&o); err != nil {
		return o, err
	}
	p.clock.Advance(o.Elapsed - p.clock.Elapsed())
	p.clock.Jump(o.Now.Sub(p.clock.Now()))
	return o, nil
}

func (p *part) answer(value any, err error) error {
	b, no := json.Marshal(value)
	if no != nil {
		return no
	}
	return p.out.Encode(reply{Value: b, Error: failed(err)})
}

func (p *part) close() {
	if p.host != nil {
		p.host.close()
	}
}

// with does a verb with its arguments.
func with[A any](o order, do func(A) (any, error)) (any, error) {
	var a A
	if err := json.Unmarshal(o.Args, &a); err != nil {
		return nil, err
	}
	return do(a)
}

// do does what is ordered outside of turns.
func (p *part) do(o order) (any, error) {
	ctx, h := context.Background(), p.host
	if h == nil && o.Verb != "open" {
		return nil, errors.New("the store is not open")
	}
	switch o.Verb {
	case "open":
		return with(o, func(a openArgs) (any, error) {
			store, err := p.open()
			if err != nil {
				return nil, err
			}
			p.host, err = openLocal(ctx, store, &seat.Options{Clock: p.clock, MaxChars: a.MaxChars})
			return nil, err
		})
	case "send":
		return with(o, func(a seat.Prompt) (any, error) { return h.Send(ctx, a) })
	case "context":
		return with(o, func(a seat.ContextArgs) (any, error) { return h.Context(ctx, operator, a) })
	case "retry":
		return with(o, func(a seat.RetryArgs) (any, error) {
			f, d, err := h.Retry(ctx, operator, a)
			return forgottenReply{f, d}, err
		})
	case "rewind":
		return with(o, func(a seat.RewindArgs) (any, error) {
			f, d, err := h.Rewind(ctx, operator, a)
			return forgottenReply{f, d}, err
		})
	case "edit":
		return with(o, func(a seat.EditArgs) (any, error) { return h.EditReply(ctx, operator, a) })
	case "exclude":
		return with(o, func(a seat.ExcludeArgs) (any, error) { return h.Exclude(ctx, operator, a) })
	case "wake":
		return with(o, func(id string) (any, error) { return h.Wake(ctx, id) })
	case "stop":
		return with(o, func(id arc.SeatID) (any, error) { return h.Stop(ctx, id) })
	case "turns":
		return nil, h.turns(ctx, p.play)
	}
	return nil, fmt.Errorf("there is no order %q", o.Verb)
}

// play lets the check say what a turn does.
func (p *part) play(ctx context.Context, x *seat.Turn, say func(context.Context, string) error) outcome {
	if err := p.out.Encode(reply{Turn: &begun{x.Origin, x.From, x.Prompt, x.Replay, x.Notes, x.Notices, x.Wakes, x.Attempt}}); err != nil {
		return outcome{Leaves: true}
	}
	for {
		o, err := p.next()
		if err != nil { // the check is over
			return outcome{Leaves: true}
		}
		if o.Verb == "end" {
			var end outcome
			if json.Unmarshal(o.Args, &end) != nil {
				return outcome{Leaves: true}
			}
			return end
		}
		if err := p.answer(act(ctx, x, say, o)); err != nil {
			return outcome{Leaves: true}
		}
	}
}

// act does what is ordered within a turn.
func act(ctx context.Context, x *seat.Turn, say func(context.Context, string) error, o order) (any, error) {
	switch o.Verb {
	case "notes":
		return with(o, func(a notesArgs) (any, error) { return text(x.Seat.SaveNotes(ctx, a.Call, a.Text)) })
	case "remind":
		return with(o, func(a remindArgs) (any, error) { return text(x.Seat.Remind(ctx, a.Call, a.Reminder)) })
	case "say":
		return with(o, func(a string) (any, error) { return nil, say(ctx, a) })
	}
	return nil, fmt.Errorf("there is no order %q in a turn", o.Verb)
}

// text is a tool's result as a model reads it.
func text(r *arc.Result, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return r.String(), nil
}
