package computer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

// quick is a Computer over a fake that does not wait for its screen.
func quick(t *testing.T, f *computertest.Fake, o computer.Options) *computer.Computer {
	t.Helper()
	o.FirstChange = -1
	c, err := computer.Open(t.Context(), f, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

func session(t *testing.T, c *computer.Computer, e arc.Env) *tools.Session {
	t.Helper()
	set, err := tools.NewSet([]arc.Provider{c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Session(arc.Turn{Env: e, Origin: me})
}

func withDesktop(e arc.Env) arc.Env {
	e.Desktop = arc.Desktop{OS: "linux", Width: 300, Height: 200}
	return e
}

func TestTheSchemaIsTheCanonicalOne(t *testing.T) {
	t.Parallel()
	toolstest.Schema(t, quick(t, computertest.New(300, 200), computer.Options{}).Tools()[0])
}

func TestConformance(t *testing.T) {
	t.Parallel()
	c := quick(t, computertest.New(300, 200), computer.Options{ActionsPerSecond: 1000})
	var calls []arc.Call
	for _, args := range []string{
		`{"actions":[{"action":"screenshot"}]}`,
		`{"actions":[{"action":"left_click","coordinate":["10",20.0],"text":"shift"}]}`,
		`{"actions":[{"action":"zoom","region":[0,0,30,20]}]}`,
		`{"actions":[{"action":"type","text":"words"}]}`,
		`{"actions":[{"action":"wait","duration":0.01}]}`,
		`{"actions":[{"action":"cursor_position"}]}`,
		`{"actions":[{"action":"key","text":"Return"}]}`,
	} {
		calls = append(calls, arc.Call{Name: "computer", Args: json.RawMessage(args)})
	}
	toolstest.Run(t, c, &toolstest.Options{Turn: &arc.Turn{Env: withDesktop(env), Origin: me}, Calls: calls})
}

func TestWhatTheDescriptionSays(t *testing.T) {
	t.Parallel()
	macs := computertest.New(300, 200)
	macs.System = "darwin"
	windows := computertest.New(300, 200)
	windows.System = "windows"
	batch, grid := env, env
	grid.Model.Grid = true
	one := env
	one.Model.Actions = 0
	for _, c := range []struct {
		name      string
		f         *computertest.Fake
		o         computer.Options
		env       arc.Env
		says, not []string
	}{
		{"one action", computertest.New(300, 200), computer.Options{}, one,
			[]string{"exactly ONE action per call", "zoom first", "name the target and its box", "assword", "pixels of the latest screenshot or zoom", `"maxItems":1`, "cursor_position", "sudo", "Super key"},
			[]string{"0-999", "Command", "Windows"}},
		{"a batch", computertest.New(300, 200), computer.Options{}, batch, []string{"1 to 10 actions", `"maxItems":10`}, []string{"ONE"}},
		{"a grid", computertest.New(300, 200), computer.Options{}, grid, []string{"0-999 across the latest screenshot or zoom"}, []string{"pixels"}},
		{"a Mac", macs, computer.Options{}, one, []string{"Command key", "permission dialogs"}, []string{"Windows", "sudo"}},
		{"Windows", windows, computer.Options{}, one, []string{"Windows key", "administrator"}, []string{"Command", "sudo"}},
		{"the host's own words", computertest.New(300, 200), computer.Options{HostNotes: "Ask Ann."}, one, []string{"Ask Ann."}, []string{"sudo"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := quick(t, c.f, c.o).Tools()[0].Definition(withDesktop(c.env))
			all := d.Description + string(d.Schema)
			for _, s := range c.says {
				if !strings.Contains(all, s) {
					t.Errorf("it does not say %q: %s", s, all)
				}
			}
			for _, s := range c.not {
				if strings.Contains(all, s) {
					t.Errorf("it says %q: %s", s, all)
				}
			}
			// A token of such text has four letters or so.
			if len(all) > 2600 {
				t.Errorf("it takes %d bytes of a prompt", len(all))
			}
		})
	}
}

func TestWhereTheToolIsOffered(t *testing.T) {
	t.Parallel()
	c := quick(t, computertest.New(300, 200), computer.Options{})
	full := withDesktop(env)
	for _, tt := range []struct {
		name   string
		take   func(*arc.Env)
		reason string
	}{
		{"full access", func(*arc.Env) {}, ""},
		{"a safe room", func(e *arc.Env) { e.Access = arc.Safe }, "access"},
		{"no desktop", func(e *arc.Env) { e.Desktop = arc.Desktop{} }, "desktop"},
		{"a model that sees nothing", func(e *arc.Env) { e.Model.Vision = false }, "vision"},
		{"planning", func(e *arc.Env) { e.Mode = arc.Planning }, "mode"},
	} {
		e := full
		tt.take(&e)
		s := session(t, c, e)
		r := s.Call(t.Context(), arc.Call{Name: "computer", Args: json.RawMessage(`{"actions":[{"action":"screenshot"}]}`)})
		if listed := len(s.List()) > 0; listed != (tt.reason == "") || (r.Err == nil) != listed {
			t.Errorf("%s: listed %v, and it answers %s", tt.name, listed, r)
		}
		if tt.reason != "" && !strings.Contains(r.String(), `"reason":"`+tt.reason+`"`) {
			t.Errorf("%s: %s", tt.name, r)
		}
	}
}

func TestACallAsAModelSeesIt(t *testing.T) {
	t.Parallel()
	one := withDesktop(env)
	one.Model.Actions = 1
	f := computertest.New(600, 400)
	s := session(t, quick(t, f, computer.Options{}), one)
	for _, c := range []struct{ name, args, want string }{
		{"before any picture", `{"actions":[{"action":"left_click","coordinate":[5,5]}]}`,
			`{"executed":0,"frame":{"id":1,"kind":"screenshot","width":300,"height":200},"error":{"code":"no_frame","message":"there is no screenshot yet to read coordinates in; this answer has one, so read them off it and call again."}}`},
		{"a click", `{"actions":[{"action":"left_click","coordinate":[5,5],"button":"left"}]}`,
			`{"executed":1,"frame":{"id":2,"kind":"screenshot","width":300,"height":200},"cursor":[5,5],"changed":{"percent":0},"notes":["ignored_button"]}`},
		{"a zoom, where the pointer is outside", `{"actions":[{"action":"zoom","region":[100,100,200,150]}]}`,
			`{"executed":1,"frame":{"id":3,"kind":"zoom","width":300,"height":150},"cursor":{"inside":false,"at":[-283,-283]}}`},
		{"asking for the pointer", `{"actions":[{"action":"cursor_position"}]}`,
			`{"executed":1,"frame":{"id":3,"kind":"zoom","width":300,"height":150},"cursor":{"inside":false,"at":[-283,-283]}}`},
		{"outside of the frame", `{"actions":[{"action":"mouse_move","coordinate":[300,10]}]}`,
			`{"error":{"code":"out_of_range","message":"a coordinate is outside of the latest screenshot or zoom; read it off that picture again.","range":{"x":[0,299],"y":[0,149]}}}`},
		{"two actions where one is allowed", `{"actions":[{"action":"screenshot"},{"action":"screenshot"}]}`,
			`{"error":{"code":"invalid_arguments","message":"actions has 2 items, must have at most 1.","problems":["actions has 2 items, must have at most 1"]}}`},
		{"an unknown key", `{"actions":[{"action":"key","text":"Retrun"}]}`,
			`{"error":{"code":"unknown_key","message":"there is no key of that name; did you mean Return?","key":"Retrun","nearest":["Return"]}}`},
	} {
		r := s.Call(t.Context(), arc.Call{Name: "computer", Args: json.RawMessage(c.args)})
		if got := r.String(); got != c.want {
			t.Errorf("%s reads\n%s, want\n%s", c.name, got, c.want)
		}
		if pictures := strings.Count(c.want, `"executed"`); c.name != "asking for the pointer" && len(r.Images) != pictures {
			t.Errorf("%s has %d pictures", c.name, len(r.Images))
		}
	}
}

// What was typed may be a secret: nothing that is kept has it.
func TestATouchSaysWhatWasDoneButNotWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := session(t, quick(t, computertest.New(300, 200), computer.Options{}), withDesktop(env))
	s.Call(t.Context(), arc.Call{Name: "computer", Args: json.RawMessage(`{"actions":[{"action":"screenshot"}]}`)})
	r := s.Call(t.Context(), arc.Call{ID: "call_9", Name: "computer", Args: json.RawMessage(`{"actions":[{"action":"left_click","coordinate":[5,6]},{"action":"type","text":"hunter2"}]}`)})
	if want := (arc.Touch{Kind: "desktop", ID: "call_9", Note: "left_click at 5,6, type"}); len(r.Touched) != 1 || r.Touched[0] != want {
		t.Errorf("touched is %+v", r.Touched)
	}
	if strings.Contains(r.String(), "hunter2") {
		t.Errorf("it answers %s", r)
	}
}

func TestWhatAHostTellsItsModel(t *testing.T) {
	t.Parallel()
	c := quick(t, computertest.New(3840, 2160), computer.Options{})
	for _, tt := range []struct {
		m    arc.Model
		want arc.Desktop
	}{
		{arc.Model{}, arc.Desktop{OS: "linux", Width: 1280, Height: 720}},
		{arc.Model{MaxEdge: 1024}, arc.Desktop{OS: "linux", Width: 960, Height: 540}},
	} {
		if got, err := c.Desktop(t.Context(), tt.m); err != nil || got != tt.want {
			t.Errorf("%+v: %+v, %v", tt.m, got, err)
		}
	}
}

// What a model makes up is looked at once, however much of it there is.
func TestManyUnknownFieldsCostNoTime(t *testing.T) {
	t.Parallel()
	c := quick(t, computertest.New(30, 20), computer.Options{})
	var args strings.Builder
	args.WriteString(`{"actions":[{"action":"screenshot"`)
	for i := range 200_000 { // two by two compared, that is minutes
		fmt.Fprintf(&args, `,"f%06d":1`, i)
	}
	args.WriteString("}]}")
	out, err := c.Tools()[0].Call(t.Context(), arc.Call{Turn: arc.Turn{Origin: me, Env: env}, ID: "call_1", Name: "computer", Args: []byte(args.String())})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ignored_f000000", "ignored_f000001", "ignored_f000002", "ignored_f000003", "ignored_f000004"}
	if r := out.Data.(*computer.Result); !slices.Equal(r.Notes, want) {
		t.Errorf("the notes are %v", r.Notes)
	}
}
