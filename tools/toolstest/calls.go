package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// taken makes each call once. What its schema lets through, the tool's own type
// may still refuse, and then the other rules would look at nothing but refusals.
func (s *suite) taken() []error {
	var faults []error
	for _, c := range s.opts.Calls {
		call, tool, err := s.ready(c)
		if err == nil {
			if _, callErr := tool.Call(context.Background(), call); errors.Is(callErr, arc.InvalidArguments) {
				err = fmt.Errorf("%s: one of Options.Calls is refused by the tool: %w", c.Name, callErr)
			}
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

// prompt cancels each call before it begins and while it runs. A tool that was
// done in time may say so.
func (s *suite) prompt() []error {
	var faults []error
	for _, c := range s.opts.Calls {
		call, tool, err := s.ready(c)
		if err != nil {
			continue // which taken tells
		}
		for _, delay := range []time.Duration{0, 20 * time.Millisecond} {
			if err := s.canceled(tool, call, delay); err != nil {
				faults = append(faults, err)
			}
		}
	}
	return faults
}

func (s *suite) canceled(tool arc.Tool, c arc.Call, delay time.Duration) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if delay == 0 {
		cancel()
	} else {
		defer time.AfterFunc(delay, cancel).Stop()
	}
	done := make(chan error, 1)
	go func() {
		_, err := tool.Call(ctx, c)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, arc.Canceled) && !known(err) {
			return fmt.Errorf("%s: a canceled call answers %w, which a model would see as %s", c.Name, err, arc.Internal)
		}
		return nil
	case <-time.After(delay + s.opts.Patience):
		return fmt.Errorf("%s: a canceled call had not returned after %s", c.Name, s.opts.Patience)
	}
}

// known reports whether err is one that a model may see.
func known(err error) bool {
	var e *arc.Error
	var code arc.Code
	return errors.As(err, &e) || errors.As(err, &code)
}

// ready is c with its arguments repaired, and its tool.
func (s *suite) ready(c arc.Call) (arc.Call, arc.Tool, error) {
	tool := s.tool(c.Name)
	if tool == nil {
		return c, nil, fmt.Errorf("the provider has no tool %q, which one of Options.Calls calls", c.Name)
	}
	call, err := s.probe(*s.opts.Turn, c)
	if err != nil {
		return c, nil, fmt.Errorf("%s: one of Options.Calls is refused: %w", c.Name, err)
	}
	return call, tool, nil
}

// bounded looks at what tools return, before a session cuts it.
func (s *suite) bounded() []error {
	var faults []error
	for _, c := range s.opts.Calls {
		call, tool, err := s.ready(c)
		if err != nil {
			continue // which taken tells
		}
		r, callErr := tool.Call(context.Background(), call)
		for _, err := range breaches(c.Name, r, callErr) {
			faults = append(faults, fmt.Errorf("%s: %w", c.Name, err))
		}
	}
	return faults
}

// breaches are the ways in which a tool's answer goes past what is allowed.
func breaches(name string, r *arc.Result, err error) []error {
	var faults []error
	if err != nil && !known(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		faults = append(faults, fmt.Errorf("it fails with %w, which a model would see as %s", err, arc.Internal))
	}
	shown := arc.Result{}
	if r != nil {
		shown = *r
	}
	var e *arc.Error
	if errors.As(err, &e) {
		shown.Err = e
	}
	if n := len(shown.Body); n > tools.MaxBody {
		faults = append(faults, fmt.Errorf("its body has %d bytes, more than %d", n, tools.MaxBody))
	}
	if !utf8.ValidString(shown.Body) {
		faults = append(faults, errors.New("its body is not UTF-8"))
	}
	shown.Body = ""
	head, err := shown.AppendText(nil)
	if err != nil {
		faults = append(faults, fmt.Errorf("it cannot be shown: %w", err))
	}
	if n, limit := len(head), tools.HeaderLimit(name); n > limit {
		faults = append(faults, fmt.Errorf("its header has %d bytes, more than %d", n, limit))
	}
	return faults
}

// concurrent makes the calls side by side. The race detector is who finds fault.
func (s *suite) concurrent() []error {
	const times = 4
	session := s.set.Session(*s.opts.Turn)
	var mu sync.Mutex
	var faults []error
	var wg sync.WaitGroup
	for _, c := range s.opts.Calls {
		for range times {
			wg.Go(func() {
				r := session.Call(context.Background(), c)
				if r.Err != nil && r.Err.Code == arc.Internal {
					mu.Lock()
					defer mu.Unlock()
					faults = append(faults, fmt.Errorf("%s: beside others it answers %w", c.Name, r.Err))
				}
			})
		}
	}
	wg.Wait()
	return faults
}

// following follows the next calls of each call to their end.
func (s *suite) following() []error {
	var faults []error
	for _, c := range s.opts.Calls {
		if err := s.follow(c); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.Name, err))
		}
	}
	return faults
}

// follow ends without an error where a chain of next calls ends, or leads to a
// tool of another provider.
func (s *suite) follow(c arc.Call) error {
	session := s.set.Session(*s.opts.Turn)
	seen := make(map[string]bool)
	for range s.opts.Steps {
		key := c.Name + " " + string(c.Args)
		if seen[key] {
			return fmt.Errorf("the next call comes back to %s", key)
		}
		seen[key] = true
		r := session.Call(context.Background(), c)
		next := r.Next
		if r.Err != nil {
			if len(seen) > 1 && r.Err.Code == arc.InvalidArguments {
				return fmt.Errorf("the next call %s is refused: %w", key, r.Err)
			}
			next = r.Err.Next
		}
		if next == nil || s.tool(next.Tool) == nil {
			return nil
		}
		args, err := json.Marshal(next.Arguments)
		if err != nil {
			return fmt.Errorf("the arguments of the next call are no JSON: %w", err)
		}
		c = arc.Call{Name: next.Tool, Args: args}
	}
	return fmt.Errorf("after %d next calls there is still another", s.opts.Steps)
}
