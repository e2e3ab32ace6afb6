package mcptool

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/defaults"
)

// Options of Open. Nil is fine, but for State.
type Options struct {
	// State is the directory of the outputs that are kept, made if it is missing and
	// closed to other users. Two hosts may share it. It has to be set.
	State string

	// KeepBytes is how much is kept of all outputs together. The oldest go first, but none of
	// the turn that its seat is in. Default: 512 MiB.
	KeepBytes int64

	// KeepFor is how long an output is kept. Default: 24 h.
	KeepFor time.Duration

	// Logger gets what services say beside their answers, and what becomes of them. Nil:
	// discard.
	Logger *slog.Logger
}

// Services are the operator's MCP services on this host: an arc.Provider of their tools
// and of mcp_output. Its methods may be used from many goroutines.
type Services struct {
	log     *slog.Logger
	keeper  *keeper
	output  arc.Tool
	closing context.Context // done when Close begins
	close   context.CancelFunc
	hurry   context.Context // done when Close has no time left
	hasten  context.CancelFunc
	working sync.WaitGroup // a watch of each connection, and starts

	mu       sync.Mutex
	services []*service
	taken    map[string]bool // names, also of those that are being attached
	closed   chan struct{}   // nil: Close was not called; then closed when all has ended
	closeErr error
}

var _ arc.Provider = (*Services)(nil)

// Open opens the outputs that are kept. No service is attached yet: see Connect. The
// caller closes it.
func Open(o *Options) (*Services, error) {
	with := Options{}
	if o != nil {
		with = *o
	}
	if with.State == "" {
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: "the services need a directory for what they say at length; set Options.State."}
	}
	defaults.Positive(&with.KeepBytes, 512<<20)
	k, err := openKeeper(with.State, &with)
	if err != nil {
		return nil, fmt.Errorf("mcptool: %w", err)
	}
	s := &Services{log: cmp.Or(with.Logger, slog.New(slog.DiscardHandler)), keeper: k, taken: map[string]bool{}}
	s.closing, s.close = context.WithCancel(context.Background())
	s.hurry, s.hasten = context.WithCancel(context.Background())
	s.output = s.outputTool()
	return s, nil
}

// Connect starts or reaches a service and takes its list of tools, for the seats whose
// arc.Env.Services names it. It is attached until Close. ctx ends the attempt, not the
// service.
//
// Codes: invalid_arguments for what the operator has written wrong, already_exists for a
// name that is taken, unavailable for a service that does not start, or whose list cannot
// be used: it has no end, or two names that a model could not tell apart. The message
// is for the operator and may hold what the service says. shutting_down after Close.
func (s *Services) Connect(ctx context.Context, one Service) error {
	if err := one.check(); err != nil {
		return err
	}
	x := newService(s, one)
	if err := s.take(x.Name); err != nil {
		return err
	}
	defer s.working.Done()
	x.turn <- struct{}{}
	err := x.start(ctx)
	<-x.turn
	switch {
	case err == nil:
		if unknown := x.unknownReadOnly(); len(unknown) > 0 {
			x.link.end(s.hurry)
			err = x.refuse(arc.InvalidArguments, "it has no tools %q, which the operator calls read-only", unknown)
		}
	case s.closing.Err() != nil:
		err = closing()
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		err = x.refuse(arc.Unavailable, "%w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.taken, x.Name)
		return err
	}
	s.services = append(s.services, x)
	return nil
}

// take takes a name, and counts what is at work.
func (s *Services) take(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed != nil:
		return closing()
	case s.taken[name]:
		return &arc.Error{Code: arc.AlreadyExists, Message: fmt.Sprintf("there is a service %s already; give this one another name.", name)}
	}
	s.taken[name] = true
	s.working.Add(1)
	return nil
}

// begin counts a start that Close is to wait for, and is false after Close.
func (s *Services) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return false
	}
	s.working.Add(1)
	return true
}

// Names are those of the attached services, in the order of their Connect: what a grant
// of all of them is in arc.Env.Services.
func (s *Services) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, x := range s.services {
		names = append(names, x.Name)
	}
	return names
}

// Tools are those that the services list at this moment, and mcp_output.
func (s *Services) Tools() []arc.Tool {
	s.mu.Lock()
	services := slices.Clone(s.services)
	s.mu.Unlock()
	if len(services) == 0 {
		return nil
	}
	var all []arc.Tool
	for _, x := range services {
		for _, t := range x.listed() {
			all = append(all, t)
		}
	}
	return append(all, s.output)
}

// Schema is the call that pages the schema of a service's tool as the service wrote it,
// for a host that has to show another: the tool's own, or one that a provider's dialect
// has changed. Nil: no service lists a tool of that name.
func (s *Services) Schema(name string) *arc.Next {
	namespace, _, _ := strings.Cut(name, "__")
	s.mu.Lock()
	services := slices.Clone(s.services)
	s.mu.Unlock()
	for _, x := range services {
		if x.Name != namespace {
			continue
		}
		for _, t := range x.listed() {
			if t.def.Name == name {
				return pageCall(x.Name, schemaID(t.schema), 0, nil)
			}
		}
	}
	return nil
}

// Close ends all services: their input is closed, and what is left of a child and of all
// that it has started a second later is asked to end, and two seconds after that killed.
// Calls that wait are answered shutting_down. What was kept stays on disk. If ctx ends
// first, the rest is killed at once, and the error is ctx's.
func (s *Services) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed == nil {
		s.closed = make(chan struct{})
		s.close()
		go func() {
			s.working.Wait()
			s.closeErr = s.keeper.store.Close()
			close(s.closed)
		}()
	}
	closed := s.closed
	s.mu.Unlock()
	select {
	case <-closed:
		return s.closeErr
	default:
	}
	select {
	case <-closed:
		return s.closeErr
	case <-ctx.Done():
		s.hasten()
		<-closed // soon: nothing waits for a grace any more
		return ctx.Err()
	}
}
