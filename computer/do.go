package computer

import (
	"context"
	"errors"
	"image"
	"slices"
	"time"

	"github.com/arcseat/arc"
)

// Do does the actions of a, in order, for the seat of o and a model of env.Model.
// All of them are checked first, and nothing happens if one makes no sense. It
// stops at the first that fails, and lets go of what the call has pressed.
//
//	action            needs                        may have
//	screenshot
//	zoom              region
//	left_click …      -                            coordinate, text (modifiers)
//	left_click_drag   coordinate                   start_coordinate, text
//	mouse_move        coordinate
//	left_mouse_down   -                            coordinate
//	left_mouse_up     -                            coordinate
//	cursor_position
//	scroll            scroll_direction             scroll_amount (3, at most 50), coordinate, text
//	type              text (10,000 characters)
//	key               text (20 chords of up to 10 keys)
//	hold_key          text (a chord), duration
//	wait              -                            duration (1 s)
//
// A duration is at most 100 s, and 5 minutes in one call. Coordinates are those of
// the latest picture that the seat was given. Result and error may both be set: a
// refusal may come with a picture, a failure tells what was done before it.
//
// Codes: invalid_arguments, out_of_range, no_frame, stale_frame, unknown_key and
// untypable_text, with nothing done; forbidden, display_lost, permission_missing
// and backend; locked while another call has the desktop; stopped, shutting_down,
// and ctx's own error.
func (c *Computer) Do(ctx context.Context, o arc.Origin, env arc.Env, a Args) (*Result, error) {
	p, err := c.keys.sketch(a.Actions, env.Model.Actions)
	if err != nil {
		return nil, err
	}
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	defer c.unlock()
	ctx, cancel, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end(cancel)
	r := &run{c: c, seat: o.Seat, env: env, plan: p, result: &Result{Skipped: p.skipped, Limit: p.limit}}
	earlier := c.takeNotes()
	r.notes = slices.Clone(earlier)
	returned := false
	defer func() {
		if !returned { // a Guard, or a Desktop, panicked: nothing stays down for it
			r.letGo(ctx, c.thisCall())
		}
	}()
	err = r.do(ctx)
	returned = true
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	r.result.Held = c.heldNames()
	r.result.Notes = append(p.notes, r.notes...)
	if r.unbegun && err != nil && r.result.Image == nil {
		c.keepNotes(earlier)
		return nil, backend(err)
	}
	return r.result, backend(err)
}

// A run is one call that has the desktop.
type run struct {
	c       *Computer
	seat    arc.SeatID
	env     arc.Env
	plan    *plan
	result  *Result
	notes   notes
	unbegun bool      // nothing was done
	looked  bool      // base has a picture
	acted   time.Time // when the latest input was sent; zero: none was
}

func (r *run) do(ctx context.Context) error {
	r.unbegun = true
	if d, ok := r.c.desktop.(Checker); ok {
		if err := d.Check(ctx); err != nil {
			return err
		}
	}
	screen, err := r.c.desktop.Screen(ctx)
	if err != nil {
		return err
	}
	var have *view
	if s := r.c.shownTo(r.seat); s != nil {
		have = &s.view
	}
	if err := r.plan.locate(have, r.full(screen)); err != nil {
		if errors.Is(err, NoFrame) || errors.Is(err, StaleFrame) {
			if pictureErr := r.picture(ctx); pictureErr != nil {
				return pictureErr
			}
		}
		return err
	}
	if err := r.alone(ctx); err != nil {
		return err
	}
	r.unbegun = false
	for i, s := range r.plan.steps {
		if err := r.step(ctx, s); err != nil {
			return r.failed(ctx, i, err)
		}
		r.result.Executed++
	}
	last := r.plan.steps[len(r.plan.steps)-1]
	switch {
	case last.rule.kind == Zoom:
		err = r.zoomed(ctx, last.region)
	case r.plan.shows:
		err = r.picture(ctx)
	}
	if err == nil {
		err = r.pointer(ctx)
	}
	if ctx.Err() != nil {
		r.letGo(ctx, everything)
	}
	return err
}

// full is the frame that a screenshot of s gives this model.
func (r *run) full(s Screen) view {
	return view{
		image: limitsOf(r.env).screenshot(s.Bounds.Size()),
		rect:  s.Bounds, gen: s.Gen, grid: r.env.Model.Grid,
	}
}

// alone looks whether the pointer is where we left it.
func (r *run) alone(ctx context.Context) error {
	if r.c.left == nil {
		return nil
	}
	p, err := r.c.desktop.Pointer(ctx)
	if err != nil || p == *r.c.left {
		return err
	}
	r.c.left = nil
	r.notes.add("pointer_moved_by_someone_else")
	if !r.c.opts.RefuseTakeover {
		return nil
	}
	if err := r.picture(ctx); err != nil {
		return err
	}
	return &arc.Error{Code: arc.Locked, Message: "somebody else has moved the pointer and may be using this desktop; look at the picture, and call again if you should go on."}
}

// step does one action.
func (r *run) step(ctx context.Context, s step) error {
	if err := r.c.pace(ctx); err != nil {
		return err
	}
	if guard := r.c.opts.Guard; guard != nil {
		for _, at := range s.places() {
			if err := guard(ctx, s.action, at); err != nil {
				return refused(err)
			}
		}
	}
	begin := time.Now()
	if s.rule.input && r.plan.shows || s.rule.kind == Wait && !r.looked {
		// What the screen was before is what changes are seen against.
		if err := r.look(ctx); err != nil {
			return err
		}
	}
	err := r.c.act(ctx, s, &r.notes)
	if s.rule.input {
		r.acted = time.Now()
	}
	if err != nil {
		return err
	}
	r.result.Done = append(r.result.Done, Done{Action: s.rule.kind, At: s.at, Took: time.Since(begin)})
	return nil
}

// look takes the picture that changes are seen against: base for the call, before
// for its latest action.
func (r *run) look(ctx context.Context) error {
	f := &r.c.before
	if !r.looked {
		f = &r.c.base
	}
	if _, err := r.c.capture(ctx, f); err != nil {
		return err
	}
	if !r.looked {
		r.looked = true
		r.c.before.Resize(0, 0) // none yet
	}
	return nil
}

// refused is a guard's error for the model.
func refused(err error) error {
	var known *arc.Error
	var code arc.Code
	if errors.As(err, &known) || errors.As(err, &code) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &arc.Error{Code: arc.Forbidden, Message: "this host does not allow that action; find another way or ask the operator.", Err: err}
}

// failed is the end of a call whose step i has failed: what it has pressed is
// released, and the model is shown what the screen looks like.
func (r *run) failed(ctx context.Context, i int, err error) error {
	r.result.Failed = new(i)
	r.result.Skipped += len(r.plan.steps) - i - 1
	since := r.c.thisCall()
	if ctx.Err() != nil {
		since = everything
	}
	r.letGo(ctx, since)
	if ctx.Err() == nil && !errors.Is(err, DisplayLost) {
		if pictureErr := r.picture(ctx); pictureErr != nil {
			r.c.log.Debug("no picture after a failure", "err", pictureErr)
		}
	}
	return err
}

func (r *run) letGo(ctx context.Context, since int) {
	if err := r.c.release(ctx, since); err != nil {
		r.notes.add("keys_may_still_be_down")
		r.c.log.Warn("keys could not be released", "err", err)
	}
}

// rest waits until the screen is still, if anything was done, and leaves a picture
// of it in now.
func (r *run) rest(ctx context.Context) (Screen, error) {
	c := r.c
	if r.acted.IsZero() || !r.looked || c.first < 0 {
		return c.capture(ctx, &c.now)
	}
	before := &c.before
	if before.H == 0 {
		before = &c.base
	}
	settling, screen, err := c.settle(ctx, before, r.acted)
	r.result.Settling, r.result.Restless = settling, err == nil && !settling.Stable
	return screen, err
}

// picture attaches a screenshot.
func (r *run) picture(ctx context.Context) error {
	screen, err := r.rest(ctx)
	if err != nil {
		return err
	}
	if r.looked {
		r.result.NativeChange = changeBetween(&r.c.base, &r.c.now, screen.Bounds.Min)
	}
	if err := r.attach(ctx, "screenshot", r.full(screen)); err != nil {
		return err
	}
	if r.looked {
		r.result.Changed = r.view().changed(r.result.NativeChange)
	}
	return nil
}

// zoomed attaches a part of the screen.
func (r *run) zoomed(ctx context.Context, part image.Rectangle) error {
	screen, err := r.c.desktop.Screen(ctx)
	if err == nil && !r.acted.IsZero() {
		screen, err = r.rest(ctx)
	}
	if err != nil {
		return err
	}
	if !part.In(screen.Bounds) {
		return r.shrunk(ctx)
	}
	if err := r.c.viewPart(ctx, part, r.c.now.copyFrom); err != nil {
		return err
	}
	return r.attach(ctx, "zoom", view{
		image: limitsOf(r.env).zoom(part.Size(), r.full(screen).image),
		rect:  part, gen: screen.Gen, grid: r.env.Model.Grid,
	})
}

// shrunk answers a zoom into what is not there any more.
func (r *run) shrunk(ctx context.Context) error {
	if err := r.picture(ctx); err != nil {
		return err
	}
	return &arc.Error{Code: StaleFrame, Message: "the screen has changed its size; read coordinates off the picture in this answer and call again."}
}

// attach encodes c.now, which shows v.rect, and makes it the seat's frame.
func (r *run) attach(ctx context.Context, kind string, v view) error {
	c := r.c
	if p, ok := c.desktop.(Pictured); ok && !c.opts.HidePointer {
		cursor, err := p.Cursor(ctx)
		if err != nil {
			return err
		}
		blend(&c.now, v.rect.Min, cursor)
	}
	picture, size := encode(&c.now, v.image, c.opts.MaxBytes)
	if size != v.image {
		r.notes.add("picture_made_smaller")
		v.image = size
	}
	r.result.Image = &picture
	r.result.Screen = v.rect
	r.result.Frame = c.show(r.seat, kind, v).info()
	return nil
}

// view is the seat's frame for this model, or nil.
func (r *run) view() *view {
	s := r.c.shownTo(r.seat)
	if s == nil {
		return nil
	}
	v := s.view
	v.grid = r.env.Model.Grid
	return &v
}

// pointer tells where the pointer is.
func (r *run) pointer(ctx context.Context) error {
	p, err := r.c.desktop.Pointer(ctx)
	if err != nil {
		return err
	}
	r.c.left = &p
	if v := r.view(); v != nil {
		r.result.Cursor = v.cursor(p)
		r.result.Frame = r.c.shownTo(r.seat).info()
		return nil
	}
	screen, err := r.c.desktop.Screen(ctx)
	if err != nil {
		return err
	}
	r.result.Cursor = r.full(screen).cursor(p)
	return nil
}
