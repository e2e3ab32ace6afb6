package tools

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/arcseat/arc"
)

// A Session is a Set in one turn: its Env, its seat, the ids of its calls and
// the tools that it has found. It is a snapshot of the providers, so that what it
// lists only grows. It is safe for concurrent use.
type Session struct {
	set        *Set
	turn       arc.Turn
	middleware []Middleware
	entries    []*entry // all, in the providers' order, the search tool last
	byName     map[string]*entry
	first      []*entry // the first list
	hidden     []error

	indexOnce sync.Once
	index     *index // for Search

	mu    sync.Mutex
	ids   map[string]bool
	named []*entry // what results have named so far, beyond the first list

	ending chan struct{} // full while a call runs that may end the turn
	ended  bool          // guarded by ending
}

// Session opens the set for one turn. Middleware mw is around the calls of this
// session, inside that of the set, the first outermost.
func (s *Set) Session(t arc.Turn, mw ...Middleware) *Session {
	entries, faults := s.snapshot(t.Env)
	for _, err := range faults {
		s.log.Warn("tool left out", "err", err)
	}
	x := &Session{
		set: s, turn: t, middleware: mw, hidden: faults,
		byName: make(map[string]*entry, len(entries)+1),
		ids:    make(map[string]bool),
		ending: make(chan struct{}, 1),
	}
	search := s.search.entry(x)
	x.entries = append(entries, search)
	var hosted []*entry
	discover := false
	for _, e := range x.entries {
		x.byName[e.def.Name] = e
		if err := e.def.Check(t); err != nil {
			x.hidden = append(x.hidden, err)
			continue
		}
		switch {
		case e == search:
		case x.native(e):
		case e.def.Listing == arc.Direct:
			x.first = append(x.first, e)
		case e.def.Listing == arc.Hosted && !t.Model.Compact:
			hosted = append(hosted, e)
		default:
			discover = true
		}
	}
	if discover && search.def.Check(t) == nil {
		x.first = append(x.first, search)
	}
	x.first = append(x.first, hosted...)
	return x
}

// native reports whether the model has a tool of its own in e's place. Ours is
// then callable, because native calls run through it, and never listed.
func (s *Session) native(e *entry) bool {
	return e.def.Native != "" && slices.Contains(s.turn.Model.Native, e.def.Native)
}

// List is what the model is to be shown now: the direct tools in their
// providers' order, tool_search if there is something to find, the hosted tools
// unless the model is compact, and then what results have named so far. Within a
// session it only grows, at its end.
func (s *Session) List() []arc.Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]arc.Definition, 0, len(s.first)+len(s.named))
	for _, e := range slices.Concat(s.first, s.named) {
		list = append(list, e.def)
	}
	return list
}

// Deferred is what the turn allows and List does not show yet. A call by name
// works all the same.
func (s *Session) Deferred() []arc.Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []arc.Definition
	for _, e := range s.entries {
		if s.offered(e) && !slices.Contains(s.first, e) && !slices.Contains(s.named, e) {
			list = append(list, e.def)
		}
	}
	return list
}

// offered reports whether e may be listed at all.
func (s *Session) offered(e *entry) bool {
	return e.def.Name != searchName && !s.native(e) && e.def.Check(s.turn) == nil
}

// Native is what the turn allows and the model brings a tool of its own for
// (arc.Model.Native): List and Deferred leave it out. A host declares the
// provider's tool in its place.
func (s *Session) Native() []arc.Definition {
	var list []arc.Definition
	for _, e := range s.entries {
		if s.native(e) && e.def.Check(s.turn) == nil {
			list = append(list, e.def)
		}
	}
	return list
}

// Accepts is the schema that the arguments of the tool of that name are checked
// against: the published one, with what is only checked and the additive
// properties that next calls use. It is for a provider that lets a model give no
// more than is published, is shared and never modified, and is nil where there is
// no such tool.
func (s *Session) Accepts(name string) json.RawMessage {
	if e := s.byName[name]; e != nil {
		return e.accepts
	}
	return nil
}

// Hidden says why each other tool is missing: an *arc.Error for one that the
// turn does not allow, and what was wrong with one that was left out. An empty
// list explains itself.
func (s *Session) Hidden() []error { return slices.Clone(s.hidden) }

// Reserve marks call ids that the turn has used already, so that none is given
// out twice. A seat calls it when it resumes a turn, with all but those of the
// step that it does over: a call that is made again keeps its id, by which its
// effect happens once.
func (s *Session) Reserve(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.ids[id] = true
	}
}

// maxID is the longest id of a call, in bytes. Some servers put a model's thoughts in it.
const maxID = 200

// number gives c the session's turn, and an id that is its own: some servers
// send one constant id, some none. In place of a long one stands what is the same
// whenever it is made again, and short enough for an index of a database.
func (s *Session) number(c arc.Call) arc.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Turn = s.turn
	if len(c.ID) > maxID {
		c.ID = fmt.Sprintf("call_%x", sha256.Sum256([]byte(c.ID)))
	}
	for n := len(s.ids) + 1; c.ID == "" || s.ids[c.ID]; n++ {
		c.ID = fmt.Sprintf("call_%d", n)
	}
	s.ids[c.ID] = true
	c.Origin.Call = c.ID
	return c
}

// name lists the tools that r names from now on.
func (s *Session) name(r *arc.Result) {
	names := slices.Clone(r.Offers)
	if r.Next != nil {
		names = append(names, r.Next.Tool)
	}
	if r.Err != nil && r.Err.Next != nil {
		names = append(names, r.Err.Next.Tool)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		e := s.byName[n]
		if e != nil && s.offered(e) && !slices.Contains(s.first, e) && !slices.Contains(s.named, e) {
			s.named = append(s.named, e)
		}
	}
}
