package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/arcseat/arc"
)

// A Surface is what a turn shows a model. A tools.Session is one.
type Surface interface {
	List() []arc.Definition              // the list of this moment
	Deferred() []arc.Definition          // what can be found
	Native() []arc.Definition            // what the model brings a tool of its own for
	Accepts(name string) json.RawMessage // the schema with what is accepted and not published; nil: none
}

// Definitions are a Surface that is a list and no more.
type Definitions []arc.Definition

// List is all of them.
func (d Definitions) List() []arc.Definition { return d }

// Deferred is nothing.
func (Definitions) Deferred() []arc.Definition { return nil }

// Native is nothing.
func (Definitions) Native() []arc.Definition { return nil }

// Accepts is nothing but what is published.
func (Definitions) Accepts(string) json.RawMessage { return nil }

// searchName is the tool by which a session finds others.
const searchName = "tool_search"

// computerName is arc.Definition.Native of the tool that [ComputerArgs] is for.
const computerName = "computer"

// A declared tool is one as the provider gets it.
type declared struct {
	name, description string
	schema            json.RawMessage
	deferred          bool
}

// Tools is the value of a request's tools, nil if there is none, and what the
// dialect has lost of them. The model's list grows as it finds tools, so it is
// asked for before each request; tools whose definitions are the same are declared
// in the same bytes.
//
// Where s has a tool for which the model brings its own, the provider's computer
// tool is declared, with the size of the screenshots in env.
//
// The error names every tool that the provider would refuse for its name, which
// would cost the whole request.
func (f *Format) Tools(s Surface) (json.RawMessage, []Loss, error) {
	list, native := s.List(), ""
	var faults []error
	for _, d := range s.Native() {
		if d.Native != computerName {
			continue // the host sends that itself
		}
		native = d.Name
		switch {
		case f.computer == "":
			faults = append(faults, fmt.Errorf("wire: %s has no computer tool of its own; leave it out of Model.Native", f.provider))
		case f.env.Desktop.Width <= 0 || f.env.Desktop.Height <= 0:
			faults = append(faults, errors.New("wire: the computer tool needs the size of the screenshots"))
		}
	}
	all := f.split(list, s.Deferred())
	seen := map[string]bool{}
	var lost []Loss
	for i := range all {
		d := &all[i]
		switch {
		case !f.traits.names.MatchString(d.name):
			faults = append(faults, fmt.Errorf("wire: %s does not take the name %q; a name is %s", f.provider, clip(d.name), f.traits.rule))
			continue
		case seen[d.name]:
			faults = append(faults, fmt.Errorf("wire: two tools are named %s", d.name))
			continue
		}
		seen[d.name] = true
		more, err := f.dress(d, s.Accepts)
		if err != nil {
			faults = append(faults, err)
		}
		lost = append(lost, more...)
	}
	if native != "" && f.computer == AnthropicComputerToolset20260801 {
		for _, a := range f.computer.anthropicActions() {
			if seen[a] {
				lost = append(lost, Loss{native, a, "left out, since another tool has this name"})
			}
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	f.native = native
	for _, d := range all {
		f.known[d.name] = d
		f.deferred = f.deferred || d.deferred
	}
	f.mu.Unlock()
	return f.traits.grammar.declare(f, all), lost, nil
}

// split says which tools are deferred: what can still be found, and what a search
// has shown already. That one stays where it was: the model knows it.
func (f *Format) split(list, hidden []arc.Definition) []declared {
	f.mu.Lock()
	defer f.mu.Unlock()
	defers := f.opts.Defer && (f.provider == Anthropic || f.provider == OpenAI) &&
		slices.ContainsFunc(list, func(d arc.Definition) bool { return d.Name == searchName })
	var now, later []declared
	for _, d := range list {
		c := declared{d.Name, d.Description, d.Schema, defers && f.loaded[d.Name]}
		if c.deferred {
			later = append(later, c)
			continue
		}
		now = append(now, c)
	}
	if defers {
		for _, d := range hidden {
			later = append(later, declared{d.Name, d.Description, d.Schema, true})
		}
	}
	return append(now, later...)
}

// dress gives d its schema in the dialect. What a schema cannot say any more in
// it, because it is too deep or too large, is any object: arguments are checked all
// the same.
func (f *Format) dress(d *declared, accepts func(string) json.RawMessage) ([]Loss, error) {
	schema := d.schema
	if full := accepts(d.name); full != nil && f.opts.Dialect.closes() {
		schema = full
	}
	out, lost, err := f.opts.Dialect.Schema(schema)
	if err == nil && f.opts.Dialect == JSONSchema {
		out, lost = flat(out)
	}
	switch {
	case errors.Is(err, errTooMuch):
		out, lost, err = f.opts.Dialect.Schema(json.RawMessage(`{"type":"object","properties":{}}`))
		lost = append(lost, Loss{At: "schema", What: "dropped, since it is too large or too deep to be rewritten"})
	case err != nil:
		return nil, fmt.Errorf("wire: the schema of %s: %w", d.name, err)
	}
	for i := range lost {
		lost[i].Tool = d.name
	}
	d.schema = out
	return lost, err
}
