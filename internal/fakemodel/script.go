package fakemodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Script is what the model will say. It is never modified.
type Script struct {
	Steps []Step `json:"steps"` // one for each answer
}

// A Step is one answer of the model. In Text and in the strings of Args, ${x}
// stands for the value that a Pull, of this step or an earlier one, named x.
type Step struct {
	Name  string          `json:"name"`            // what it is for; errors say it
	When  Match           `json:"when,omitzero"`   // must hold, or the script fails here
	Pull  map[string]Pull `json:"pull,omitempty"`  // values taken from results
	Text  string          `json:"text,omitempty"`  // said before the calls
	Calls []Call          `json:"calls,omitempty"` // made together

	// Do answers in place of Text and Calls. It sees the conversation up to
	// here and the values pulled so far, and must depend on nothing else: it is
	// run again when the conversation is replayed.
	Do func(r *Request, pulled map[string]any) (text string, calls []Call, err error) `json:"-"`
}

// A Call names a tool and its arguments.
type Call struct {
	Tool string `json:"tool"`           // its name
	Args any    `json:"args,omitempty"` // marshals to an object, whose order is kept; nil: {}
}

// A Match says what a result must be like; the zero value asks for nothing. All
// that is set must hold.
type Match struct {
	Of       string         `json:"of,omitempty"`       // the newest result of this tool; empty: the newest of all
	Contains string         `json:"contains,omitempty"` // the text has this
	Lacks    string         `json:"lacks,omitempty"`    // the text does not have this
	Regexp   string         `json:"regexp,omitempty"`   // the text matches this
	Fields   map[string]any `json:"fields,omitempty"`   // path in the header → value; null: it is not there
	Listed   []string       `json:"listed,omitempty"`   // tools that the request must list
	Unlisted []string       `json:"unlisted,omitempty"` // tools that it must not list
}

// A Pull says where a value is found: at a path in the header (as it is), or in
// the first group of an expression over the text (a string). A path is names
// and indexes with dots: changes.0.change_id.
type Pull struct {
	Of     string `json:"of,omitempty"`     // as in a Match
	Field  string `json:"field,omitempty"`  // the path
	Regexp string `json:"regexp,omitempty"` // the expression
}

// Parse reads a script from JSON. Unknown fields are errors.
func Parse(b []byte) (Script, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	var s Script
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("script: %w", err)
	}
	return s, s.check()
}

// check finds what is wrong with a script before it runs.
func (s Script) check() error {
	for i, st := range s.Steps {
		if err := st.check(); err != nil {
			return stepError(i, st, err)
		}
	}
	return nil
}

func (st Step) check() error {
	exprs := []string{st.When.Regexp}
	for name, p := range st.Pull {
		if (p.Field == "") == (p.Regexp == "") {
			return fmt.Errorf("pull %s wants a field or a regexp", name)
		}
		exprs = append(exprs, p.Regexp)
	}
	for _, e := range exprs {
		if _, err := regexp.Compile(e); err != nil {
			return err
		}
	}
	if st.Do == nil && st.Text == "" && len(st.Calls) == 0 {
		return fmt.Errorf("it says nothing and calls nothing")
	}
	return nil
}

func stepError(i int, st Step, err error) error {
	return fmt.Errorf("step %d %q: %w", i+1, st.Name, err)
}

// holds says what about the conversation is not as m wants it.
func (m Match) holds(r *Request) error {
	for _, name := range m.Listed {
		if _, ok := r.Tool(name); !ok {
			return fmt.Errorf("%s should be listed by now; listed are %s", name, strings.Join(r.names(), ", "))
		}
	}
	for _, name := range m.Unlisted {
		if _, ok := r.Tool(name); ok {
			return fmt.Errorf("%s should not be listed yet", name)
		}
	}
	if m.Contains == "" && m.Lacks == "" && m.Regexp == "" && len(m.Fields) == 0 {
		return nil
	}
	res, ok := r.Last(m.Of)
	if !ok {
		return noResult(m.Of)
	}
	switch {
	case !strings.Contains(res.Text, m.Contains):
		return fmt.Errorf("the result of %s should contain %q: %s", res.Name, m.Contains, head(res.Text))
	case m.Lacks != "" && strings.Contains(res.Text, m.Lacks):
		return fmt.Errorf("the result of %s should not contain %q: %s", res.Name, m.Lacks, head(res.Text))
	case !regexp.MustCompile(m.Regexp).MatchString(res.Text):
		return fmt.Errorf("the result of %s should match %q: %s", res.Name, m.Regexp, head(res.Text))
	}
	h := res.Header()
	for path, want := range m.Fields {
		if got, _ := at(h, path); !sameJSON(got, want) {
			return fmt.Errorf("%s of the result of %s should be %v and is %v: %s", path, res.Name, want, got, head(res.Text))
		}
	}
	return nil
}

// from takes the value out of the conversation.
func (p Pull) from(r *Request) (any, error) {
	res, ok := r.Last(p.Of)
	if !ok {
		return nil, noResult(p.Of)
	}
	if p.Field != "" {
		v, ok := at(res.Header(), p.Field)
		if !ok {
			return nil, fmt.Errorf("the result of %s has no %s: %s", res.Name, p.Field, head(res.Text))
		}
		return v, nil
	}
	m := regexp.MustCompile(p.Regexp).FindStringSubmatch(res.Text)
	if m == nil {
		return nil, fmt.Errorf("the result of %s does not match %q: %s", res.Name, p.Regexp, head(res.Text))
	}
	return m[min(1, len(m)-1)], nil
}

// head is enough of a result to see in an error what it was.
func head(text string) string {
	const enough = 400
	if len(text) > enough {
		return strings.ToValidUTF8(text[:enough], "") + "…"
	}
	return text
}

func noResult(of string) error {
	if of == "" {
		of = "any tool"
	}
	return fmt.Errorf("there is no result of %s yet", of)
}
