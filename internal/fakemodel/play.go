package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/arcseat/arc/internal/plainjson"
)

// A Reply is what the model says next.
type Reply struct {
	Text  string     // said before the calls
	Calls []ToolCall // made together
}

// Answer replays the script over the conversation and answers its last turn.
// The model's own turns must stand in the conversation as the script made them.
func (s Script) Answer(r *Request) (Reply, error) {
	pulled := map[string]any{}
	step := 0
	for i, t := range r.Turns {
		if !t.Model {
			continue
		}
		past := *r
		past.Turns = r.Turns[:i]
		said, err := s.play(step, &past, pulled, false)
		if err != nil {
			return Reply{}, err
		}
		if err := said.echoed(r, t); err != nil {
			return Reply{}, stepError(step, s.Steps[step], err)
		}
		step++
	}
	return s.play(step, r, pulled, true)
}

// play answers with one step. What a request lists is known of the newest turn
// alone, so only there (now) are the lists looked at.
func (s Script) play(i int, r *Request, pulled map[string]any, now bool) (Reply, error) {
	if i >= len(s.Steps) {
		return Reply{}, fmt.Errorf("the script has ended after %d steps and the client asks on", len(s.Steps))
	}
	st := s.Steps[i]
	when := st.When
	if !now {
		when.Listed, when.Unlisted = nil, nil
	}
	if err := when.holds(r); err != nil {
		return Reply{}, stepError(i, st, err)
	}
	for _, name := range slices.Sorted(maps.Keys(st.Pull)) {
		v, err := st.Pull[name].from(r)
		if err != nil {
			return Reply{}, stepError(i, st, fmt.Errorf("pull %s: %w", name, err))
		}
		pulled[name] = v
	}
	text, calls := st.Text, st.Calls
	if st.Do != nil {
		var err error
		if text, calls, err = st.Do(r, maps.Clone(pulled)); err != nil {
			return Reply{}, stepError(i, st, err)
		}
	}
	reply, err := fill(text, calls, i, pulled)
	if err != nil {
		return Reply{}, stepError(i, st, err)
	}
	if !now {
		return reply, nil
	}
	for n := range reply.Calls {
		c := &reply.Calls[n]
		t, ok := r.Tool(c.Name)
		if !ok {
			return Reply{}, stepError(i, st, fmt.Errorf("it calls %s, which the request does not list; listed are %s", c.Name, strings.Join(r.names(), ", ")))
		}
		if !t.set() {
			c.Name = t.Name
		}
	}
	return reply, nil
}

// fill puts pulled values in their places and numbers the calls.
func fill(text string, calls []Call, step int, pulled map[string]any) (Reply, error) {
	var reply Reply
	var err error
	if reply.Text, err = expand(text, pulled); err != nil {
		return Reply{}, err
	}
	for n, c := range calls {
		args, err := c.args(pulled)
		if err != nil {
			return Reply{}, fmt.Errorf("arguments of %s: %w", c.Tool, err)
		}
		reply.Calls = append(reply.Calls, ToolCall{ID: fmt.Sprintf("call_%d_%d", step+1, n+1), Name: c.Tool, Args: args})
	}
	return reply, nil
}

// args are the call's arguments as JSON, in the order of Args, with the pulled
// values in their places.
func (c Call) args(pulled map[string]any) (json.RawMessage, error) {
	if c.Args == nil {
		return json.RawMessage("{}"), nil
	}
	b, err := plainjson.Marshal(c.Args)
	if err != nil {
		return nil, err
	}
	if err := object(b); err != nil {
		return nil, err
	}
	return put(b, pulled)
}

// literal is a string in a JSON text.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// put replaces ${x} in all strings of a JSON text. A string that is ${x} alone
// becomes the value itself, whatever its type.
func put(b []byte, pulled map[string]any) (json.RawMessage, error) {
	var wrong error
	b = literal.ReplaceAllFunc(b, func(quoted []byte) []byte {
		var s string
		var v any
		err := json.Unmarshal(quoted, &s)
		if m := place.FindStringSubmatch(s); m != nil && m[0] == s && pulled[m[1]] != nil {
			v = pulled[m[1]]
		} else if err == nil {
			v, err = expand(s, pulled)
		}
		if err == nil {
			quoted, err = plainjson.Marshal(v)
		}
		wrong = errors.Join(wrong, err)
		return quoted
	})
	return b, wrong
}

var place = regexp.MustCompile(`\$\{(\w+)\}`)

func expand(s string, pulled map[string]any) (string, error) {
	var missing error
	s = place.ReplaceAllStringFunc(s, func(p string) string {
		name := p[2 : len(p)-1]
		v, ok := pulled[name]
		if !ok {
			missing = fmt.Errorf("no value was pulled as %q", name)
		}
		return fmt.Sprint(v)
	})
	return s, missing
}

// echoed compares what the model said with what the client sends back as said.
func (r Reply) echoed(req *Request, t Turn) error {
	if t.Text != r.Text && !(req.foreign && strings.TrimSpace(t.Text) == strings.TrimSpace(r.Text)) {
		return fmt.Errorf("the client sends back %q as the model's text, which was %q", t.Text, r.Text)
	}
	if len(t.Calls) != len(r.Calls) {
		return fmt.Errorf("the client sends back %d calls of the model's %d", len(t.Calls), len(r.Calls))
	}
	for i, c := range r.Calls {
		got := t.Calls[i]
		if got.ID != c.ID && !got.numbered || !req.is(got.Name, c.Name) || !sameJSON(got.Args, c.Args) {
			return fmt.Errorf("the client sends back the call %s %s %s, which was %s %s %s", got.ID, got.Name, got.Args, c.ID, c.Name, c.Args)
		}
	}
	return nil
}

// at follows a path of names and indexes.
func at(v any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// plain is v as maps, slices and json.Numbers, a copy that may be changed.
func plain(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var p any
	err = dec.Decode(&p)
	return p, err
}

// sameJSON compares values as JSON, whatever their Go types and key order.
func sameJSON(a, b any) bool {
	pa, errA := plain(a)
	pb, errB := plain(b)
	if errA != nil || errB != nil {
		return false
	}
	ja, errA := plainjson.Marshal(pa)
	jb, errB := plainjson.Marshal(pb)
	return errA == nil && errB == nil && bytes.Equal(ja, jb)
}
