package seattest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// maxAnswer is how long a process may think about an order before it is killed: a guard.
const maxAnswer = 2 * time.Minute

// A process is a host in a process of its own, which does what it is ordered; see [Work].
type process struct {
	clock *Clock
	cmd   *exec.Cmd
	in    io.Closer
	out   *json.Encoder
	from  *json.Decoder
	ended bool
}

// processes are hosts in processes of their own.
func processes(t *testing.T, command func(t *testing.T, path string) *exec.Cmd) opens {
	path := newPath(t)
	return func(clock *Clock, maxChars int) (host, error) {
		return startProcess(t, command(t, path), clock, maxChars)
	}
}

// startProcess starts cmd and lets it open the store.
func startProcess(t *testing.T, cmd *exec.Cmd, clock *Clock, maxChars int) (*process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if cmd.Stderr == nil {
		cmd.Stderr = t.Output()
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{clock: clock, cmd: cmd, in: in, out: json.NewEncoder(in), from: json.NewDecoder(out)}
	_, err = call[any](p, "open", openArgs{maxChars})
	if err != nil {
		p.kill()
	}
	return p, err
}

// kill ends the process at once, wherever it is.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.ended = true
	_ = p.cmd.Wait() // it was killed
}

func (p *process) close() error {
	if p.ended {
		return nil
	}
	p.ended = true
	p.in.Close()
	return p.cmd.Wait()
}

// exchange sends an order and reads what comes back.
func (p *process) exchange(verb string, args any) (r reply, err error) {
	defer time.AfterFunc(maxAnswer, func() { _ = p.cmd.Process.Kill() }).Stop()
	b, err := json.Marshal(args)
	if err != nil {
		return r, err
	}
	if err := p.out.Encode(order{verb, b, p.clock.Now(), p.clock.Elapsed()}); err != nil {
		return r, fmt.Errorf("%s: the process takes no order: %w", verb, err)
	}
	if err := p.from.Decode(&r); err != nil {
		return r, fmt.Errorf("%s: the process does not answer: %w", verb, err)
	}
	return r, nil
}

// call lets the process do a verb.
func call[R any](p *process, verb string, args any) (value R, err error) {
	r, err := p.exchange(verb, args)
	if err == nil {
		err = r.Error.error()
	}
	if err == nil {
		err = json.Unmarshal(r.Value, &value)
	}
	return value, err
}

// The operator is that of the check, in both processes.

func (p *process) Send(_ context.Context, a seat.Prompt) (seat.Queued, error) {
	return call[seat.Queued](p, "send", a)
}

func (p *process) Context(_ context.Context, _ seat.Operator, a seat.ContextArgs) (*seat.Context, error) {
	return call[*seat.Context](p, "context", a)
}

func (p *process) Retry(_ context.Context, _ seat.Operator, a seat.RetryArgs) (*seat.Forgotten, *seat.DryRun, error) {
	r, err := call[forgottenReply](p, "retry", a)
	return r.Done, r.Dry, err
}

func (p *process) Rewind(_ context.Context, _ seat.Operator, a seat.RewindArgs) (*seat.Forgotten, *seat.DryRun, error) {
	r, err := call[forgottenReply](p, "rewind", a)
	return r.Done, r.Dry, err
}

func (p *process) EditReply(_ context.Context, _ seat.Operator, a seat.EditArgs) (*seat.Edited, error) {
	return call[*seat.Edited](p, "edit", a)
}

func (p *process) Exclude(_ context.Context, _ seat.Operator, a seat.ExcludeArgs) (*seat.Exclusion, error) {
	return call[*seat.Exclusion](p, "exclude", a)
}

func (p *process) Wake(_ context.Context, id string) (time.Duration, error) {
	return call[time.Duration](p, "wake", id)
}

func (p *process) Stop(_ context.Context, id arc.SeatID) (arc.TurnID, error) {
	return call[arc.TurnID](p, "stop", id)
}

func (p *process) shared() bool { return true }

func (p *process) turns(ctx context.Context, play player) error {
	r, err := p.exchange("turns", nil)
	for ; err == nil; r, err = p.after(play, ctx, r.Turn) {
		if r.Turn == nil {
			return r.Error.error()
		}
	}
	return err
}

// after plays a turn of the process, and reads what comes after it.
func (p *process) after(play player, ctx context.Context, b *begun) (reply, error) {
	x := &seat.Turn{From: b.From, Prompt: b.Prompt, Replay: b.Replay, Notes: b.Notes, Notices: b.Notices, Wakes: b.Wakes, Attempt: b.Attempt}
	x.Origin, x.Seat = b.Origin, &seatOf{p: p, id: b.Origin.Seat}
	o := play(ctx, x, func(_ context.Context, text string) error {
		_, err := call[any](p, "say", text)
		return err
	})
	if o.Dies {
		p.kill()
		return reply{}, errors.New("the process was killed")
	}
	return p.exchange("end", o)
}

// A seatOf is the hold that a process's turn has on its seat, as far as the check uses it.
type seatOf struct {
	arc.Seat
	p  *process
	id arc.SeatID
}

func (s *seatOf) ID() arc.SeatID { return s.id }

func (s *seatOf) SaveNotes(_ context.Context, id, text string) (*arc.Result, error) {
	return result(call[string](s.p, "notes", notesArgs{id, text}))
}

func (s *seatOf) Remind(_ context.Context, id string, r arc.Reminder) (*arc.Result, error) {
	return result(call[string](s.p, "remind", remindArgs{id, r}))
}

func result(text string, err error) (*arc.Result, error) {
	if err != nil {
		return nil, err
	}
	return &arc.Result{Body: text}, nil
}
