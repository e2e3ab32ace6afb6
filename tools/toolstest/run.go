package toolstest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// Options of [Run] and [Check]. Nil is fine.
type Options struct {
	// Calls are calls that work, for the rules about running tools: one that is
	// refused as invalid_arguments, by its schema or by its tool, is a fault. Each
	// may be made many times. Nil: no tool runs.
	Calls []arc.Call

	// Turn is the turn in which Calls are made. Nil: one that has everything but a
	// seat, namely Full Access, a project, every service that a tool asks for, a
	// desktop, and a model that sees.
	Turn *arc.Turn

	// Patience is how long a canceled call may take to return. 0: 10 seconds.
	Patience time.Duration

	// Steps is how many next calls are followed from one of Calls before they
	// count as endless. 0: 1,000.
	Steps int
}

// A rule is one thing that every tool must keep.
type rule struct {
	name  string
	check func(*suite) []error
}

// rules are checked in this order. The first is what the others build on.
var rules = []rule{
	{"definitions are valid and names unique", (*suite).valid},
	{"every property has a description", (*suite).described},
	{"only description and schema vary with the env", (*suite).constant},
	{"a definition allocates nothing the second time", (*suite).memoised},
	{"bad arguments are refused before the tool runs", (*suite).refusing},
	{"calls that work are not refused for their arguments", (*suite).taken},
	{"a canceled call returns at once", (*suite).prompt},
	{"results and refusals are in their bounds", (*suite).bounded},
	{"calls may run side by side", (*suite).concurrent},
	{"following next_call advances and ends", (*suite).following},
}

// Run fails t for every rule that p's tools break, in a subtest of the rule's
// name.
func Run(t *testing.T, p arc.Provider, o *Options) {
	t.Helper()
	s := newSuite(p, o)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, err := range r.check(s) {
				t.Error(err)
			}
		})
		if s.set == nil {
			return
		}
	}
}

// Check returns every rule that p's tools break, joined, or nil.
func Check(p arc.Provider, o *Options) error {
	s := newSuite(p, o)
	var all []error
	for _, r := range rules {
		for _, err := range r.check(s) {
			all = append(all, fmt.Errorf("%s: %w", r.name, err))
		}
		if s.set == nil {
			break
		}
	}
	return errors.Join(all...)
}

// A suite is one provider under test.
type suite struct {
	provider arc.Provider
	opts     Options
	set      *tools.Set // nil until the definitions are known to be valid
	tools    []arc.Tool
}

func newSuite(p arc.Provider, o *Options) *suite {
	s := &suite{provider: p}
	if o != nil {
		s.opts = *o
	}
	if s.opts.Patience == 0 {
		s.opts.Patience = 10 * time.Second
	}
	if s.opts.Steps == 0 {
		s.opts.Steps = 1000
	}
	return s
}

func (s *suite) valid() []error {
	set, err := tools.NewSet([]arc.Provider{s.provider}, nil)
	if err != nil {
		return []error{err}
	}
	s.set, s.tools = set, s.provider.Tools()
	if s.opts.Turn == nil {
		s.opts.Turn = new(everything(s.definitions()))
	}
	return nil
}

func (s *suite) definitions() []arc.Definition {
	var defs []arc.Definition
	for _, t := range s.tools {
		defs = append(defs, t.Definition(arc.Env{}))
	}
	return defs
}

// everything is a turn that has all that the tools could ask for but a seat.
func everything(defs []arc.Definition) arc.Turn {
	t := arc.Turn{Env: arc.Env{
		Access: arc.FullAccess, Project: true,
		Desktop:  arc.Desktop{OS: "linux", Width: 1280, Height: 800},
		Model:    arc.Model{Vision: true},
		Services: []string{"any"},
	}}
	for _, d := range defs {
		if d.Needs.Service != "" && d.Needs.Service != "*" {
			t.Services = append(t.Services, d.Needs.Service)
		}
	}
	return t
}

// tool is the tool called name.
func (s *suite) tool(name string) arc.Tool {
	for _, t := range s.tools {
		if t.Definition(arc.Env{}).Name == name {
			return t
		}
	}
	return nil
}

// probe takes c as far as its tool, which is not run: it returns the call as the
// tool would get it, or how it was refused.
func (s *suite) probe(turn arc.Turn, c arc.Call) (arc.Call, *arc.Error) {
	const reached arc.Code = "reached"
	set, err := tools.NewSet([]arc.Provider{s.provider}, &tools.Options{
		Approve: func(_ context.Context, approved arc.Call, _ arc.Definition) error {
			c = approved
			return reached
		},
	})
	if err != nil { // a list that changed meanwhile
		return c, &arc.Error{Code: arc.Internal, Message: err.Error()}
	}
	r := set.Session(turn).Call(context.Background(), c)
	if r.Err != nil && r.Err.Code == reached {
		return c, nil
	}
	return c, r.Err
}
