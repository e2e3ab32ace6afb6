package tools_test

import (
	"context"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// full allows everything but a seat.
var full = arc.Turn{Env: arc.Env{
	Access: arc.FullAccess, Project: true, Services: []string{"files"},
	Desktop: arc.Desktop{OS: "linux", Width: 1280, Height: 800}, Model: arc.Model{Vision: true},
}}

// does makes a tool without arguments.
func does(def arc.Definition, fn func(context.Context, arc.Call) (*arc.Result, error)) arc.Tool {
	return tools.New(def, func(ctx context.Context, c arc.Call, _ noArgs) (*arc.Result, error) { return fn(ctx, c) })
}

// says answers with words alone.
func says(def arc.Definition, words string) arc.Tool {
	return does(def, func(context.Context, arc.Call) (*arc.Result, error) { return &arc.Result{Body: words}, nil })
}

func session(t testing.TB, turn arc.Turn, o *tools.Options, list ...arc.Tool) *tools.Session {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{tools.Of(list...)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(turn)
}

func names(defs []arc.Definition) []string {
	list := []string{}
	for _, d := range defs {
		list = append(list, d.Name)
	}
	return list
}

func reads(name string) arc.Definition {
	return arc.Definition{Name: name, Effects: arc.Effects{ReadOnly: true}}
}
