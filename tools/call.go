package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/arcseat/arc"
)

// Call answers one call; it never returns nil. On the way: find the tool, check
// that the turn (and Options.Recheck) allows it, repair and check its arguments;
// then Middleware, Options.Approve, the tool, and the bounds of a result. A
// refusal is a Result with Err, and passes through the middleware like any other.
//
// An empty or repeated ID is replaced by one of the session's own. Call returns
// when the tool does: one that ignores ctx is waited for, because nobody else
// would know what it still changes. Calls that run at the same time are the
// caller's to order; see [Session.Run].
func (s *Session) Call(ctx context.Context, c arc.Call) *arc.Result {
	return s.call(ctx, s.number(c))
}

// call answers a numbered call. One that may end the turn waits for any other
// that may, so that only one does.
func (s *Session) call(ctx context.Context, c arc.Call) (r *arc.Result) {
	var refusal error
	if e := s.byName[c.Name]; e != nil && e.def.Effects.EndsTurn {
		select {
		case s.ending <- struct{}{}:
			defer func() { <-s.ending }()
			if s.ended {
				refusal = arc.TerminalConflict
			}
			defer func() { s.ended = s.ended || r.End != arc.Continue }()
		case <-ctx.Done():
			refusal = notBegun(ctx)
		}
	}
	begin := time.Now()
	r = s.guard(ctx, c, func() *arc.Result { return s.answer(ctx, c, refusal) })
	s.name(r)
	s.logCall(ctx, c, r, time.Since(begin))
	return r
}

// answer takes c along its path; with a refusal, the tool is not reached.
func (s *Session) answer(ctx context.Context, c arc.Call, refusal error) *arc.Result {
	var e *entry
	if refusal == nil {
		e, refusal = s.prepare(ctx, &c)
	}
	var h Handler = func(ctx context.Context, c arc.Call) *arc.Result {
		if refusal != nil {
			return s.refused(ctx, c, nil, refusal)
		}
		return s.guard(ctx, c, func() *arc.Result { return s.run(ctx, c, e) })
	}
	for _, m := range slices.Backward(slices.Concat(s.set.opts.Middleware, s.middleware)) {
		h = m(h)
	}
	return h(ctx, c)
}

// prepare finds c's tool, checks that it may be used, and repairs c's arguments.
func (s *Session) prepare(ctx context.Context, c *arc.Call) (*entry, error) {
	if ctx.Err() != nil {
		return nil, notBegun(ctx)
	}
	e := s.byName[c.Name]
	if e == nil {
		return nil, s.unknown(c.Name)
	}
	if err := e.def.Check(s.turn); err != nil {
		return e, err
	}
	if s.set.opts.Recheck != nil {
		c.Env = narrow(s.turn.Env, s.set.opts.Recheck(ctx, s.turn))
		if err := e.def.Check(c.Turn); err != nil {
			return e, err
		}
	}
	args, err := e.schema.normalise(c.Args)
	if err != nil {
		return e, err
	}
	c.Args = args
	return e, nil
}

// run approves and calls.
func (s *Session) run(ctx context.Context, c arc.Call, e *entry) *arc.Result {
	if approve := s.set.opts.Approve; approve != nil {
		if err := approve(ctx, c, e.def); err != nil && !isNilPointer(err) {
			return s.refused(ctx, c, nil, notApproved(err))
		}
	}
	if ctx.Err() != nil {
		return s.refused(ctx, c, nil, notBegun(ctx))
	}
	r, err := e.tool.Call(ctx, c)
	var out arc.Result
	if r != nil {
		out = *r // a tool may keep what it returned
	}
	if out.End != arc.Continue && !e.def.Effects.EndsTurn {
		s.set.log.WarnContext(ctx, "tool ended a turn without saying that it may", "tool", c.Name, "call", c.ID)
		out.End = arc.Continue
	}
	if err == nil && out.Err != nil {
		err = out.Err // of a tool that passes on what another session answered
	}
	if err != nil && !isNilPointer(err) {
		return s.refused(ctx, c, &out, err)
	}
	return s.bounded(ctx, c, &out)
}

// refused is r, or nothing, with err as a model sees it.
func (s *Session) refused(ctx context.Context, c arc.Call, r *arc.Result, err error) *arc.Result {
	if r == nil {
		r = &arc.Result{}
	}
	e := s.byName[c.Name]
	r.Err = asError(ctx, err, e != nil && e.def.Effects.ReadOnly)
	r.End = arc.Continue // a call that failed lets the next one try
	if r.Err.Code == arc.Internal {
		s.set.log.ErrorContext(ctx, "tool failed", "tool", c.Name, "call", c.ID, "err", err)
	}
	return s.bounded(ctx, c, r)
}

// bounded holds r to the limits. A result that cannot be shown at all is the
// tool's fault, and told as that; what the call did and ended stays.
func (s *Session) bounded(ctx context.Context, c arc.Call, r *arc.Result) *arc.Result {
	if err := bound(c.Name, r); err != nil {
		s.set.log.ErrorContext(ctx, "tool's result cannot be shown", "tool", c.Name, "call", c.ID, "err", err)
		return &arc.Result{Err: coded(arc.Internal, err), Touched: r.Touched, End: r.End}
	}
	return r
}

// guard turns a panic, and a nil of a middleware, into a result.
func (s *Session) guard(ctx context.Context, c arc.Call, f func() *arc.Result) (r *arc.Result) {
	defer func() {
		if p := recover(); p != nil {
			s.set.log.ErrorContext(ctx, "tool panicked", "tool", c.Name, "call", c.ID, "panic", p, "stack", string(debug.Stack()))
			r = &arc.Result{Err: coded(arc.Internal, fmt.Errorf("panic: %v", p))}
		}
	}()
	if r = f(); r == nil {
		r = s.refused(ctx, c, nil, errors.New("a middleware returned no result"))
	}
	return r
}

func (s *Session) logCall(ctx context.Context, c arc.Call, r *arc.Result, took time.Duration) {
	if !s.set.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	code := arc.Code("")
	if r.Err != nil {
		code = r.Err.Code
	}
	s.set.log.DebugContext(ctx, "tool call", "tool", c.Name, "call", c.ID,
		"ms", took.Milliseconds(), "code", string(code), "bytes", len(r.Body))
}
