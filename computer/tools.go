package computer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

var _ arc.Provider = (*Computer)(nil)

// Tools is the tool computer.
func (c *Computer) Tools() []arc.Tool { return []arc.Tool{c.tool} }

func (c *Computer) newTool() arc.Tool {
	known := actionFields()
	tool := tools.New(arc.Definition{
		Name:        "computer",
		Description: "Operate this computer's desktop.",
		Needs:       arc.Needs{Access: arc.FullAccess, Desktop: true, Vision: true},
		Effects:     arc.Effects{Destructive: true, OpenWorld: true},
		Native:      "computer",
	}, func(ctx context.Context, call arc.Call, a Args) (*arc.Result, error) {
		r, err := c.Do(ctx, call.Origin, call.Env, a)
		if r == nil {
			return nil, err
		}
		for _, name := range unknownFields(call.Args, known) {
			r.Notes = append(r.Notes, "ignored_"+name)
		}
		out := &arc.Result{Data: r}
		if r.Image != nil {
			out.Images = []arc.Image{*r.Image}
		}
		if did := r.inputs(); did != "" {
			out.Touched = []arc.Touch{{Kind: "desktop", ID: call.ID, Note: did}}
		}
		return out, err
	})
	return tools.Vary(tool, c.describe)
}

// inputs names what the call did to the desktop, without what it typed.
func (r *Result) inputs() string {
	var names []string
	for _, d := range r.Done {
		if rule, _ := ruleOf(d.Action); !rule.input {
			continue
		}
		name := string(d.Action)
		if d.At != nil {
			name += fmt.Sprintf(" at %d,%d", d.At.X, d.At.Y)
		}
		names = append(names, name)
	}
	return clip(strings.Join(names, ", "), 200)
}

// actionFields are the names that an action's properties have.
func actionFields() map[string]bool {
	known := make(map[string]bool)
	for f := range reflect.TypeFor[Action]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = true
	}
	return known
}

// maxIgnored are named; a model that makes up more is told enough.
const maxIgnored = 5

// unknownFields are the properties of actions that mean nothing here. The schema is
// open, so they pass, and a model should not believe that they had an effect.
func unknownFields(args json.RawMessage, known map[string]bool) []string {
	var a struct {
		Actions []map[string]json.RawMessage `json:"actions"`
	}
	if json.Unmarshal(args, &a) != nil {
		return nil
	}
	ignored := make(map[string]bool)
	for _, action := range a.Actions {
		for name := range action {
			if !known[name] {
				ignored[clip(name, 40)] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(ignored))
	return names[:min(len(names), maxIgnored)]
}
