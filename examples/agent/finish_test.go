package main

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

func TestFinish(t *testing.T) {
	t.Parallel()
	missing := func(detail, next string) func(context.Context, arc.Call) (string, string, error) {
		return func(context.Context, arc.Call) (string, string, error) { return detail, next, nil }
	}
	broken := func(context.Context, arc.Call) (string, string, error) { return "", "", errors.New("no such shell") }
	tests := []struct {
		name  string
		gates []gate
		args  string
		want  string
		end   arc.End
	}{
		{"without gates it ends the run", nil, `{"summary":"done"}`, `{"status":"finished"}`, arc.Finished},
		{"with open gates it ends the run", []gate{{"green", missing("", "")}}, `{"summary":"done"}`, `{"status":"finished"}`, arc.Finished},
		{
			"every gate that is shut is named, and the turn goes on",
			[]gate{{"green", missing("red", "fix it")}, {"clean", missing("", "")}, {"told", missing("nobody was", "tell them")}}, `{"summary":"done"}`,
			`{"status":"not_finished","missing":[{"gate":"green","detail":"red","next":"fix it"},{"gate":"told","detail":"nobody was","next":"tell them"}]}`, arc.Continue,
		},
		{"a blank summary is refused", nil, `{"summary":" "}`, `{"error":{"code":"invalid_arguments","message":"the summary is blank; say what was done."}}`, arc.Continue},
		{"a gate that cannot be asked does not open", []gate{{"green", broken}}, `{"summary":"done"}`, "", arc.Continue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, err := tools.NewSet([]arc.Provider{finishing(tt.gates...)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := set.Session(arc.Turn{}).Call(t.Context(), arc.Call{Name: "finish", Args: []byte(tt.args)})
			if tt.want == "" {
				if !errors.Is(r.Err, arc.Internal) {
					t.Errorf("got %s, want an internal error", r)
				}
			} else if r.String() != tt.want {
				t.Errorf("got %s, want %s", r, tt.want)
			}
			if r.End != tt.end {
				t.Errorf("the turn is left as %d, want %d", r.End, tt.end)
			}
		})
	}
}
