package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Terms are what somebody allows a task: whoever sends it, or whoever runs it.
type Terms struct {
	Access arc.Access `json:"access,omitempty"` // at most this
	Deny   []string   `json:"deny,omitempty"`   // tools that are withheld
	Checks []string   `json:"checks,omitempty"` // commands that must succeed before the run may finish
}

// Narrower is what both t and u allow.
func (t Terms) Narrower(u Terms) Terms {
	return Terms{min(t.Access, u.Access), union(t.Deny, u.Deny), union(t.Checks, u.Checks)}
}

// Narrow is env as far as t allows it.
func (t Terms) Narrow(env arc.Env) arc.Env {
	env.Access = min(env.Access, t.Access)
	env.Deny = union(env.Deny, t.Deny)
	return env
}

// union has each of a and b once, in their order. It is a list of its own.
func union(a, b []string) []string {
	var all []string
	for _, list := range [][]string{a, b} {
		for _, s := range list {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// String tells a person.
func (t Terms) String() string {
	parts := []string{"Safe: files alone, no commands"}
	if t.Access == arc.FullAccess {
		parts[0] = "Full Access: files and commands"
	}
	if len(t.Deny) > 0 {
		parts = append(parts, "without "+strings.Join(t.Deny, ", "))
	}
	for _, c := range t.Checks {
		parts = append(parts, "finished only once this succeeds: "+c)
	}
	return strings.Join(parts, "; ")
}

// termsKey is where a prompt's message keeps its sender's terms.
const termsKey = "terms"

func (t Terms) meta() (map[string]string, error) {
	b, err := json.Marshal(t)
	return map[string]string{termsKey: string(b)}, err
}

// Asked are the terms of whoever asked for what a turn is about: those of its prompt,
// or those of the turns that armed what woke it, all of them together. Nil: nobody
// said any.
func Asked(ctx context.Context, s *seat.Service, turn arc.TurnID) (*Terms, error) {
	messages, err := s.Asked(ctx, turn)
	if err != nil {
		return nil, err
	}
	var all *Terms
	for _, m := range messages {
		text, said := m.Meta[termsKey]
		if !said {
			continue
		}
		var t Terms
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			return nil, fmt.Errorf("the terms of message %d cannot be read: %w", m.ID, err)
		}
		if all != nil {
			t = all.Narrower(t)
		}
		all = &t
	}
	return all, nil
}

// Serving is what a process that runs turns runs, and on which terms.
type Serving struct {
	Room  string `json:"room,omitempty"` // empty: every room
	Ends  bool   `json:"ends,omitempty"` // it ends when nothing is left to run
	Terms Terms  `json:"terms"`          // what the process allows
}

// Take is what will hold for a task in a room whose sender allows t. Codes:
// unavailable where the process runs no turns of that room, or does not allow what t
// asks for.
func (s Serving) Take(room string, t Terms) (Terms, error) {
	switch {
	case s.Room != "" && s.Room != room && s.Ends:
		return Terms{}, unavailable("room", "the process that owns the seats runs the room %q alone and then ends; send the task again once it has.", s.Room)
	case s.Room != "" && s.Room != room:
		return Terms{}, unavailable("room", "the process that owns the seats serves the room %q alone; end it and run examples/agent -serve without -room, which serves every room, or give the task to -room %[1]s.", s.Room)
	case t.Access > s.Terms.Access:
		return Terms{}, unavailable("access", "the process that owns the seats runs no commands; leave -access full out, or end it and start it with -access full.")
	}
	return t.Narrower(s.Terms), nil
}

func unavailable(reason, format string, args ...any) error {
	return &arc.Error{Code: arc.Unavailable, Message: fmt.Sprintf(format, args...), Detail: map[string]string{"reason": reason}}
}
