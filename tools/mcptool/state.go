package mcptool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/defaults"
)

// restartEvery is how often a service that dies is started again.
const restartEvery = 10 * time.Minute

// relistPause is the least time between two lists of a service whose list keeps changing.
const relistPause = 500 * time.Millisecond

// A service is a Service that is attached: its connection, and the tools of its last
// list.
type service struct {
	Service
	hub *Services
	log *slog.Logger

	turn      chan struct{} // a lock that a context can be waited for with, on link and restarted
	link      *link         // the last connection
	restarted time.Time     // zero: never

	mu    sync.Mutex
	tools []*tool
}

func newService(hub *Services, s Service) *service {
	s.Command, s.Env, s.ReadOnly = slices.Clone(s.Command), slices.Clone(s.Env), slices.Clone(s.ReadOnly)
	s.Header = s.Header.Clone()
	defaults.Positive(&s.StartTimeout, startTimeout)
	defaults.Positive(&s.CallTimeout, callTimeout)
	return &service{Service: s, hub: hub, log: hub.log.With("service", s.Name), turn: make(chan struct{}, 1)}
}

// start opens a connection and takes its list of tools. The caller holds turn.
func (s *service) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.StartTimeout)
	defer cancel()
	defer context.AfterFunc(s.hub.closing, cancel)()
	l, err := dial(ctx, &s.Service, s.log, s.hub.hurry)
	if err != nil {
		return s.notStarted(ctx, err)
	}
	if err := s.relist(ctx, l); err != nil {
		if l.process != nil {
			err = l.process.because(err)
		}
		l.end(s.hub.hurry)
		return s.notStarted(ctx, err)
	}
	s.link = l
	s.hub.working.Go(func() { s.watch(l) })
	return nil
}

// notStarted says why a start failed.
func (s *service) notStarted(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it did not start in %v: %w", s.StartTimeout, err)
	}
	return err
}

// watch follows a connection to its end.
func (s *service) watch(l *link) {
	for {
		select {
		case <-l.down:
			if s.hub.closing.Err() == nil {
				s.log.Warn("a service has ended", "err", l.why)
			}
			l.end(s.hub.hurry)
			return
		case <-s.hub.closing.Done():
			l.end(s.hub.hurry)
			return
		case <-l.changed:
		}
		ctx, cancel := context.WithTimeout(s.hub.closing, s.StartTimeout)
		if err := s.relist(ctx, l); err != nil && s.hub.closing.Err() == nil && !l.ended() {
			s.log.Warn("the changed list of a service cannot be used; the one before stays", "err", err)
		}
		select {
		case <-time.After(relistPause):
		case <-ctx.Done():
		case <-l.down:
		}
		cancel()
	}
}

// relist takes the service's list of tools in place of the one before.
func (s *service) relist(ctx context.Context, l *link) error {
	list, err := l.list(ctx)
	if err != nil {
		return err
	}
	made, left, err := newTools(s, list)
	if err != nil {
		return err
	}
	for _, why := range left {
		s.log.Warn("a tool of a service was left out", "why", why)
	}
	texts := make([]string, len(made))
	for i, t := range made {
		texts[i] = t.schema
	}
	s.hub.keeper.list(s.Name, texts)
	s.mu.Lock()
	old := s.tools
	s.tools = made
	s.mu.Unlock()
	if added, removed, changed := difference(old, made); old != nil && len(added)+len(removed)+len(changed) > 0 {
		s.log.Info("the tools of a service have changed", "added", added, "removed", removed, "changed", changed)
	}
	return nil
}

// difference says what became of tools, by name.
func difference(old, now []*tool) (added, removed, changed []string) {
	before := map[string]*tool{}
	for _, t := range old {
		before[t.def.Name] = t
	}
	for _, t := range now {
		was := before[t.def.Name]
		delete(before, t.def.Name)
		switch {
		case was == nil:
			added = append(added, t.def.Name)
		case was.def.Description != t.def.Description || was.schema != t.schema:
			changed = append(changed, t.def.Name)
		}
	}
	for name := range before {
		removed = append(removed, name)
	}
	slices.Sort(removed)
	return added, removed, changed
}

// current is the connection to ask. One that has ended is made anew, once in a while.
func (s *service) current(ctx context.Context) (*link, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !s.link.ended() {
		return s.link, nil
	}
	if !s.hub.begin() {
		return nil, closing()
	}
	defer s.hub.working.Done()
	before := s.restarted
	if !before.IsZero() && time.Since(before) < restartEvery {
		return nil, down(s.Name, "has ended, as it had before", s.link.why)
	}
	s.restarted = time.Now()
	if err := s.start(ctx); err != nil {
		if ctx.Err() != nil { // of the call: the next one may try
			s.restarted = before
			return nil, ctx.Err()
		}
		s.log.Error("a service that ended could not be started again", "err", err)
		return nil, down(s.Name, "has ended and could not be started again", err)
	}
	s.log.Info("a service that ended was started again")
	return s.link, nil
}

// listed are the tools of the last list.
func (s *service) listed() []*tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// unknownReadOnly names what the operator calls read-only and the service does not have.
func (s *service) unknownReadOnly() []string {
	return slices.DeleteFunc(slices.Clone(s.ReadOnly), func(name string) bool {
		return slices.ContainsFunc(s.listed(), func(t *tool) bool { return t.remote == name })
	})
}

// refuse is the operator's error for a service that cannot be attached.
func (s *service) refuse(code arc.Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &arc.Error{Code: code, Message: fmt.Sprintf("the service %s cannot be used: %s.", s.Name, err), Detail: named{"service", s.Name}, Err: err}
}
