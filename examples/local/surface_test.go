package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// A rule is a published schema, or a part of one.
type rule map[string]any

// A probe is a value made for one thing that a rule says.
type probe struct {
	about string
	value any
	fits  bool
}

// probes are, for each thing that r says, a value that fits it and one that does not.
// What r says and nobody here knows is told by an error.
func (r rule) probes() (all []probe, err error) {
	add := func(about string, value any, fits bool) { all = append(all, probe{about, value, fits}) }
	number := func(keyword string) float64 { n, _ := r[keyword].(float64); return n }
	words := func(keyword string) string { return strings.Repeat("é", int(number(keyword))) }
	for keyword, value := range r {
		switch keyword {
		case "description":
		case "type":
			for _, kind := range r.types() {
				add("the type "+kind, r.sample(kind), true)
			}
			if slices.Contains(r.types(), "object") {
				add("its type", true, false)
			} else {
				add("its type", map[string]any{"a": "b"}, false)
			}
		case "default":
			add(keyword, value, true)
		case "enum":
			for _, one := range value.([]any) {
				add(keyword, one, true)
			}
			add(keyword, "none of them", false)
		case "minimum":
			add(keyword, number(keyword), true)
			add(keyword, number(keyword)-1, false)
		case "exclusiveMinimum":
			add(keyword, number(keyword)+1e-3, true)
			add(keyword, number(keyword), false)
		case "maximum":
			add(keyword, number(keyword), true)
			add(keyword, number(keyword)+1, false)
		case "maxLength":
			add(keyword, words(keyword), true)
			add(keyword, words(keyword)+"x", false)
		case "minItems":
			add(keyword, r.list(int(number(keyword))), true)
			add(keyword, r.list(int(number(keyword))-1), false)
		case "maxItems":
			add(keyword, r.list(int(number(keyword))), true)
			add(keyword, r.list(int(number(keyword))+1), false)
		case "items":
			inner, failed := r.items().probes()
			err = errors.Join(err, failed)
			for _, p := range inner {
				list := r.list(int(max(number("minItems"), 1)))
				list[len(list)-1] = p.value
				add("an item: "+p.about, list, p.fits)
			}
		case "required":
			for _, name := range value.([]any) {
				fields := r.fields()
				delete(fields, name.(string))
				add("without "+name.(string), fields, false)
			}
		case "additionalProperties":
			if value != false {
				err = errors.Join(err, fmt.Errorf("additionalProperties is %v", value))
			}
			add("a property that it has not", r.strange(), false)
		case "properties":
			for name := range value.(map[string]any) {
				inner, failed := r.property(name).probes()
				err = errors.Join(err, failed)
				for _, p := range inner {
					fields := r.fields()
					fields[name] = p.value
					add(name+": "+p.about, fields, p.fits)
				}
			}
		default:
			err = errors.Join(err, fmt.Errorf("nothing here tries %s", keyword))
		}
	}
	return all, err
}

func (r rule) types() []string {
	if one, ok := r["type"].(string); ok {
		return []string{one}
	}
	var all []string
	for _, one := range r["type"].([]any) {
		all = append(all, one.(string))
	}
	return all
}

func (r rule) items() rule { return r["items"].(map[string]any) }

func (r rule) property(name string) rule {
	return r["properties"].(map[string]any)[name].(map[string]any)
}

// sample is a value of one of r's types that fits r.
func (r rule) sample(kind string) any {
	if enum, ok := r["enum"].([]any); ok {
		return enum[0]
	}
	switch kind {
	case "object":
		return r.fields()
	case "array":
		least, _ := r["minItems"].(float64)
		return r.list(int(max(least, 1)))
	case "string":
		return "word"
	case "boolean":
		return true
	case "null":
		return nil
	}
	return 2
}

// list is a list of n items that fit.
func (r rule) list(n int) []any {
	return slices.Repeat([]any{r.items().sample(r.items().types()[0])}, n)
}

// fields are an object that has what it must, and fits.
func (r rule) fields() map[string]any {
	fields := map[string]any{}
	required, _ := r["required"].([]any)
	for _, name := range required {
		p := r.property(name.(string))
		fields[name.(string)] = p.sample(p.types()[0])
	}
	return fields
}

// strange are fields and one that r does not name.
func (r rule) strange() map[string]any {
	fields := r.fields()
	fields["no_such_property"] = 1
	return fields
}

// errArrived stops each call right before its tool.
var errArrived = errors.New("the call is as its schema wants it")

// everyTool are sessions in which all tools are offered that there are: of a seat's
// turn, of its planning turn, and of an operator. No call reaches a tool.
func everyTool(t *testing.T) []*tools.Session {
	t.Helper()
	stop := &tools.Options{Approve: func(context.Context, arc.Call, arc.Definition) error { return errArrived }}
	host, _ := open(t, local.Options{
		Access: arc.FullAccess, Seats: true, Screen: computertest.New(1280, 800), Services: []mcptool.Service{archive("")},
	})
	set, err := host.Set(stop)
	if err != nil {
		t.Fatal(err)
	}
	verbs, err := tools.NewSet([]arc.Provider{seat.OperatorTools(host.Seats, host.Operator("op"))}, stop)
	if err != nil {
		t.Fatal(err)
	}
	ordinary := host.Turn(arc.Origin{Seat: "s"})
	ordinary.Seat = someSeat{}
	planning := ordinary
	planning.Mode = arc.Planning
	return []*tools.Session{set.Session(ordinary), set.Session(planning), verbs.Session(arc.Turn{})}
}

// Each property of each tool, and each thing that its schema says of it, is met by a
// call that fits and by one that does not: the one arrives, the other is refused.
func TestEveryConstraintIsMetAndBroken(t *testing.T) {
	tried, calls := map[string]bool{}, 0
	for _, s := range everyTool(t) {
		for _, d := range append(s.List(), s.Deferred()...) {
			if tried[d.Name] || strings.HasPrefix(d.Name, "archive__") {
				continue
			}
			tried[d.Name] = true
			var r rule
			if err := json.Unmarshal(d.Schema, &r); err != nil {
				t.Fatal(err)
			}
			all, err := r.probes()
			if err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
			if r["additionalProperties"] == nil { // the verbs refuse it without saying so
				all = append(all, probe{"a property that it has not", r.strange(), !strings.HasPrefix(d.Name, "arc_seat_")})
			}
			for _, p := range all {
				args, err := json.Marshal(p.value)
				if err != nil {
					t.Fatal(err)
				}
				calls++
				want := arc.InvalidArguments
				if p.fits {
					want = arc.Forbidden // it has come to who refuses all
				}
				if got := s.Call(t.Context(), arc.Call{Name: d.Name, Args: args}); got.Err == nil || got.Err.Code != want {
					t.Errorf("%s, %s, fits %v: %.200s is answered by %.300s", d.Name, p.about, p.fits, args, got)
				}
			}
		}
	}
	for _, row := range matrix {
		if !tried[row.tool] && !strings.Contains(row.tool, "__") {
			t.Errorf("%s was not tried", row.tool)
		}
	}
	verbs := slices.DeleteFunc(slices.Sorted(maps.Keys(tried)), func(name string) bool { return !strings.HasPrefix(name, "arc_seat_") })
	if len(verbs) < 5 {
		t.Errorf("of the verbs only %v were tried", verbs)
	}
	t.Logf("score: surface %d ≥ 29 tools, each property and constraint in %d calls", len(tried), calls)
}
