package toolstest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/arcseat/arc"
)

// refusing sends each tool what its schema excludes. No tool runs: a call that
// passes is stopped before it.
func (s *suite) refusing() []error {
	var faults []error
	for _, d := range s.definitions() {
		turn := turnFor(d, everything([]arc.Definition{d}))
		for _, bad := range badArguments(d.Schema) {
			_, err := s.probe(turn, arc.Call{Name: d.Name, Args: json.RawMessage(bad.args)})
			switch {
			case err == nil:
				faults = append(faults, fmt.Errorf("%s takes %s (%s)", d.Name, bad.args, bad.why))
			case err.Code != arc.InvalidArguments:
				faults = append(faults, fmt.Errorf("%s refuses %s (%s) with %w", d.Name, bad.args, bad.why, err))
			}
		}
	}
	return faults
}

// turnFor is a turn in which a tool of definition d may be called. Its seat is
// nobody: no call gets that far.
func turnFor(d arc.Definition, t arc.Turn) arc.Turn {
	if d.Needs.Planning == arc.Required {
		t.Mode = arc.Planning
	}
	t.Seat = struct{ arc.Seat }{}
	return t
}

type badArgs struct{ args, why string }

// badArguments breaks a schema in each way that it can be broken for sure.
func badArguments(schema json.RawMessage) []badArgs {
	bad := []badArgs{
		{`{"a":`, "no JSON"}, {`[1]`, "a list"}, {`7`, "a number"}, {`"words"`, "a word"}, {`{} {}`, "two values"}, {`{"a":1,"a":2}`, "a property twice"},
	}
	var s struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required   []string        `json:"required"`
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return bad
	}
	if len(s.Required) > 0 {
		bad = append(bad, badArgs{`{}`, "nothing of what is required"})
	}
	if string(s.Additional) == "false" {
		bad = append(bad, badArgs{`{"no_such_property":1}`, "a property that a closed schema does not have"})
	}
	for _, name := range keysOf(s.Properties) {
		var only string
		if json.Unmarshal(s.Properties[name].Type, &only) != nil {
			continue // a union, or any
		}
		if wrong, ok := map[string]string{
			"string": `{}`, "integer": `"many"`, "number": `"much"`, "boolean": `"perhaps"`, "array": `7`, "object": `7`,
		}[only]; ok {
			b, _ := json.Marshal(name)
			bad = append(bad, badArgs{fmt.Sprintf(`{%s:%s}`, b, wrong), "no " + only})
		}
	}
	return bad
}

func keysOf[V any](m map[string]V) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
