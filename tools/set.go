package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"sync"

	"github.com/arcseat/arc"
)

// Options of a [Set]. Nil is fine.
type Options struct {
	// Logger gets a Debug line for each call, and what goes wrong inside of
	// tools; never arguments or results. Nil: discard.
	Logger *slog.Logger

	// Middleware is around every call of every session, the first outermost.
	// Nil: none.
	Middleware []Middleware

	// Approve is asked before each call that is available and well-formed. Its
	// error refuses the call: an *arc.Error or an arc.Code as it is, anything
	// else as forbidden. Nil: all are approved.
	Approve func(context.Context, arc.Call, arc.Definition) error

	// Recheck is asked at each call what the room allows now. It may only take
	// away: what it grants beyond the turn's own Env is ignored, and Model and
	// Desktop stay the turn's. Nil: the turn's Env stands.
	Recheck func(context.Context, arc.Turn) arc.Env
}

// A Handler answers a call. A refusal is a Result with Err. It never returns nil.
type Handler func(context.Context, arc.Call) *arc.Result

// A Middleware wraps the handling of a call: it sees repaired arguments on the
// way in (those of a call that is refused are as they were sent, and may be
// anything), and results, refusals among them, on the way out. It is asked anew
// for each call, so what it remembers belongs outside of it. Arguments that it
// changes are not checked again, what it makes of a result is not bounded again,
// and the call stays one of the same tool.
type Middleware func(next Handler) Handler

// A Set joins the tools of several providers. It does not change after NewSet
// and is safe for concurrent use.
type Set struct {
	providers []arc.Provider
	opts      Options
	log       *slog.Logger
	search    searchParts
	compiled  schemas
}

// NewSet makes a Set. Its error joins everything that is wrong with the tools of
// this moment: broken definitions, and names that occur twice. A fault that
// appears later, in the list of a provider that changes, is logged and costs that
// tool alone; see [Session.Hidden].
func NewSet(providers []arc.Provider, o *Options) (*Set, error) {
	s := &Set{providers: slices.Clone(providers)}
	if o != nil {
		s.opts = *o
	}
	s.log = s.opts.Logger
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if s.search, err = newSearchParts(); err != nil {
		return nil, err
	}
	_, faults := s.snapshot(arc.Env{})
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return s, nil
}

// An entry is a tool as one session sees it.
type entry struct {
	tool    arc.Tool
	def     arc.Definition
	schema  *schema
	accepts json.RawMessage // what schema was made of
}

// snapshot asks every provider once. What is broken, or named twice, is left out
// and reported.
func (s *Set) snapshot(env arc.Env) (entries []*entry, faults []error) {
	names := map[string]bool{searchName: true}
	for i, p := range s.providers {
		if p == nil {
			faults = append(faults, fmt.Errorf("provider %d is nil", i))
			continue
		}
		tools, err := toolsOf(p)
		if err != nil {
			faults = append(faults, fmt.Errorf("provider %d (%T): %w", i, p, err))
		}
		for _, t := range tools {
			e, err := s.entry(t, env)
			switch {
			case err != nil:
			case names[e.def.Name]:
				err = fmt.Errorf("tool %s: the name is taken", e.def.Name)
			default:
				names[e.def.Name] = true
				entries = append(entries, e)
				continue
			}
			faults = append(faults, fmt.Errorf("provider %d (%T): %w", i, p, err))
		}
	}
	return entries, faults
}

// toolsOf asks p for its tools; one that panics has none.
func toolsOf(p arc.Provider) (tools []arc.Tool, err error) {
	defer func() {
		if r := recover(); r != nil {
			tools, err = nil, fmt.Errorf("its Tools panics: %v", r)
		}
	}()
	return p.Tools(), nil
}

var nameRule = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// entry looks a tool over. A tool that panics while it is asked is broken too.
func (s *Set) entry(t arc.Tool, env arc.Env) (e *entry, err error) {
	if t == nil {
		return nil, errors.New("a tool is nil")
	}
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("a tool's Definition panics: %v", p)
		}
	}()
	m, ok := t.(made)
	if ok && isNilPointer(m) {
		return nil, errors.New("a tool is nil")
	}
	e = &entry{tool: t, def: t.Definition(env)}
	if ok && m.broken() != nil {
		return nil, fmt.Errorf("tool %q: %w", e.def.Name, m.broken())
	}
	if !nameRule.MatchString(e.def.Name) {
		return nil, fmt.Errorf("tool %q: a name is 1 to 64 letters, digits, _ and -", e.def.Name)
	}
	if ok {
		e.schema, e.accepts = m.checks(env), m.raw(env)
		return e, nil
	}
	e.accepts = e.def.Schema
	if e.schema, err = s.compiled.get(e.def.Schema); err != nil {
		return nil, fmt.Errorf("tool %s: %w", e.def.Name, err)
	}
	return e, nil
}

// schemas keeps compiled schemas by their text, so that a session costs a
// compilation only for what is new. It forgets all when full: services come and
// go, and a set lives long.
type schemas struct {
	mu    sync.Mutex
	known map[string]*schema
}

const maxSchemas = 1024

func (c *schemas) get(raw json.RawMessage) (*schema, error) {
	c.mu.Lock()
	s, ok := c.known[string(raw)]
	c.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := compile(raw)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxSchemas {
		c.known = make(map[string]*schema)
	}
	c.known[string(raw)] = s
	return s, nil
}
