package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// house is a host's composition of all the fakes.
type house struct {
	shell    *fakeShell
	seat     *fakeSeat
	web      *fakeWeb
	computer *fakeComputer
	service  *fakeService
	env      *arc.Env // what Recheck answers; nil: no change
	set      *tools.Set
	turn     arc.Turn
}

const ticketSchema = `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}`

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{shell: &fakeShell{jobs: map[string]arc.SeatID{}, done: map[string]bool{}}}
	h.seat = &fakeSeat{id: "seat_a", jobs: h.shell, waits: map[string]arc.Wait{}}
	h.web = &fakeWeb{
		pages:   map[string]string{"https://a.example/": "plain words", "https://a.example/x.pdf": "%PDF-1.7 …"},
		pdfText: func(context.Context, []byte) (string, error) { return "words of a document", nil },
	}
	h.computer = &fakeComputer{frame: 1}
	h.service = &fakeService{}
	h.service.set(service("tracker__ticket", ticketSchema, ""))
	var err error
	h.set, err = tools.NewSet([]arc.Provider{h.shell, seatTools{}, h.web, h.computer, h.service}, &tools.Options{
		Recheck: func(_ context.Context, t arc.Turn) arc.Env {
			if h.env != nil {
				return *h.env
			}
			return t.Env
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.turn = full
	h.turn.Services = []string{"tracker"}
	h.turn.Seat = h.seat
	h.turn.Origin = arc.Origin{Run: "run_1", Seat: "seat_a", Turn: "turn_1"}
	return h
}

func call(t testing.TB, s *tools.Session, name, args string) *arc.Result {
	t.Helper()
	return s.Call(t.Context(), arc.Call{Name: name, Args: []byte(args)})
}

func TestTheContractHoldsForASeatThatWaitsForAJob(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var screen []string
	h.turn.Progress = func(c arc.Call, p arc.Progress) { screen = append(screen, c.Name+" "+string(p.Output)) }
	s := h.set.Session(h.turn)

	r := call(t, s, "shell_exec", `{"command":"make","block_budget_sec":"1"}`)
	if r.Err != nil || r.Touched[1] != (arc.Touch{Kind: "job", ID: "job_1"}) {
		t.Fatalf("got %v", r)
	}
	if !slices.Equal(screen, []string{"shell_exec building"}) {
		t.Errorf("the screen shows %q", screen)
	}
	if got := names(s.List()); got[len(got)-1] != "shell_job" {
		t.Errorf("the next call's tool is not listed: %s", got)
	}

	// A wait and a finish in one batch: the wait holds, and finish is refused.
	rs := s.Run(t.Context(), []arc.Call{
		{ID: "w", Name: "wait", Args: []byte(`{"job_id":"job_1","note":"the build","after":null}`)},
		{ID: "f", Name: "finish", Args: []byte(`{"summary":"done"}`)},
		{ID: "n", Name: "save_notes", Args: []byte(`{"notes":"building"}`)},
	})
	if rs[0].End != arc.Waiting || !errors.Is(rs[1].Err, arc.TerminalConflict) || rs[2].Err != nil {
		t.Errorf("got %v", rs)
	}
	if w := h.seat.waits["w"]; w.JobID != "job_1" || w.Note != "the build" {
		t.Errorf("the seat waits for %+v", w)
	}

	t.Run("a job that has ended is no reason to wait, and the turn goes on", func(t *testing.T) {
		h.shell.done["job_1"] = true
		rs := h.set.Session(h.turn).Run(t.Context(), []arc.Call{
			{Name: "wait", Args: []byte(`{"job_id":"job_1","note":"the build"}`)},
			{Name: "finish", Args: []byte(`{"summary":"done"}`)},
		})
		if rs[0].End != arc.Continue || rs[0].Err != nil || rs[1].End != arc.Finished {
			t.Errorf("got %v", rs)
		}
	})
	t.Run("another seat's job is not found, and finish may still end the turn", func(t *testing.T) {
		h.seat.id = "seat_b"
		defer func() { h.seat.id = "seat_a" }()
		rs := h.set.Session(h.turn).Run(t.Context(), []arc.Call{
			{Name: "wait", Args: []byte(`{"job_id":"job_1","note":"n"}`)},
			{Name: "finish", Args: []byte(`{"summary":"done"}`)},
		})
		if !errors.Is(rs[0].Err, arc.NotFound) || rs[1].End != arc.Finished {
			t.Errorf("got %v", rs)
		}
	})
	t.Run("an open gate leaves the turn open", func(t *testing.T) {
		h.seat.gate = true
		defer func() { h.seat.gate = false }()
		s := h.set.Session(h.turn)
		if r := call(t, s, "finish", `{"summary":"s"}`); r.End != arc.Continue || r.Err != nil {
			t.Errorf("got %v", r)
		}
		if r := call(t, s, "wait", `{"note":"n","after":"1h"}`); r.End != arc.Waiting {
			t.Errorf("got %v", r)
		}
	})
	t.Run("a host without seats has no such tools", func(t *testing.T) {
		turn := h.turn
		turn.Seat = nil
		s := h.set.Session(turn)
		if got := names(s.List()); slices.Contains(got, "wait") || slices.Contains(got, "finish") {
			t.Errorf("got %s", got)
		}
		if r := call(t, s, "finish", `{"summary":"s"}`); !strings.Contains(r.Err.Message, "without a seat") {
			t.Errorf("got %v", r.Err)
		}
	})
}

func TestTheContractHoldsForTheWebAndItsPDFs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.set.Session(arc.Turn{}) // Safe, no project: chat alone
	if got := names(s.List()); !slices.Equal(got, []string{"web_fetch"}) {
		t.Errorf("chat lists %s", got)
	}
	var text strings.Builder
	next := &arc.Next{Tool: "web_fetch", Arguments: map[string]any{"url": "https://a.example/x.pdf"}}
	for range 3 {
		r := s.Call(t.Context(), arc.Call{Name: next.Tool, Args: marshal(next.Arguments)})
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		text.WriteString(r.Body)
		if next = r.Next; next == nil {
			break
		}
	}
	if text.String() != "words of a document" {
		t.Errorf("the pages join to %q", &text)
	}
	h.web.pdfText = nil
	if r := call(t, s, "web_fetch", `{"url":"https://a.example/x.pdf"}`); !errors.Is(r.Err, arc.Unavailable) {
		t.Errorf("got %v", r)
	}
	const want = `{"error":{"code":"http_error","message":"The server has no such page; search for another.","status":404}}`
	if r := call(t, s, "web_fetch", `{"url":"https://b.example/"}`); r.String() != want {
		t.Errorf("got %s", r)
	}
}

func TestTheContractHoldsForADesktop(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.set.Session(h.turn)
	i := slices.IndexFunc(s.List(), func(d arc.Definition) bool { return d.Name == "computer" })
	if d := s.List()[i]; d.Description != "Operate the 1280×800 desktop." {
		t.Errorf("it says %q", d.Description)
	}

	t.Run("a refusal brings a picture, and the turn goes on", func(t *testing.T) {
		r := call(t, s, "computer", `{"actions":[{"action":"left_click","coordinate":[1,2]}]}`)
		if r.Err == nil || r.Err.Code != "stale_frame" || len(r.Images) != 1 || string(r.Images[0].Data) != "frame 1" {
			t.Errorf("got %v with %d images", r, len(r.Images))
		}
		if want := `{"done":0,"error":{"code":"stale_frame","message":"The screen has changed; look at this picture and decide again."}}`; r.String() != want {
			t.Errorf("got %s", r)
		}
		if r := call(t, s, "computer", `{"actions":[{"action":"left_click","coordinate":"[1, 2]"}]}`); r.Err != nil || string(r.Images[0].Data) != "frame 2" {
			t.Errorf("got %v", r)
		}
	})
	t.Run("how many actions fit is said and checked by the same number", func(t *testing.T) {
		const two = `{"actions":[{"action":"screenshot"},{"action":"screenshot"}]}`
		if r := call(t, s, "computer", two); r.Err == nil || r.Err.Message != "actions has 2 items, must have at most 1." {
			t.Errorf("got %v", r)
		}
		turn := h.turn
		turn.Model.Actions = 5
		s := h.set.Session(turn)
		if r := call(t, s, "computer", two); r.Err != nil {
			t.Errorf("got %v", r)
		}
		i := slices.IndexFunc(s.List(), func(d arc.Definition) bool { return d.Name == "computer" })
		if schema := string(s.List()[i].Schema); !strings.Contains(schema, `"maxItems":5`) {
			t.Errorf("the schema says %s", schema)
		}
	})
	t.Run("a model with its own computer tool is not shown ours, and its calls run", func(t *testing.T) {
		turn := h.turn
		turn.Model.Native = []string{"computer"}
		s := h.set.Session(turn)
		if slices.Contains(names(s.List()), "computer") || slices.Contains(names(s.Deferred()), "computer") {
			t.Error("it is shown")
		}
		if r := call(t, s, "computer", `{"actions":[{"action":"screenshot"}]}`); r.Err != nil {
			t.Errorf("got %v", r)
		}
	})
}

func TestTheContractHoldsForServicesThatChange(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	before := h.set.Session(h.turn)
	if got := names(before.Search("tickets", 5)); !slices.Equal(got, []string{"tracker__ticket"}) {
		t.Errorf("a search finds %s", got)
	}
	h.service.set(
		service("tracker__tickets", ticketSchema, ""),
		service("shell_exec", ticketSchema, ""),             // a name that is taken
		service("tracker__broken", `{"type":"string"}`, ""), // a schema of no object
	)
	after := h.set.Session(h.turn)

	t.Run("the turn at hand keeps its list", func(t *testing.T) {
		if r := call(t, before, "tracker__ticket", `{"id":"7"}`); r.String() != `{"got":{"id":7}}` {
			t.Errorf("got %s", r)
		}
		if r := call(t, before, "tracker__tickets", `{"id":7}`); !errors.Is(r.Err, arc.UnknownTool) {
			t.Errorf("got %v", r)
		}
	})
	t.Run("the next turn has the new one", func(t *testing.T) {
		if r := call(t, after, "tracker__tickets", `{"id":7}`); r.Err != nil {
			t.Errorf("got %v", r)
		}
		if r := call(t, after, "tracker__ticket", `{"id":7}`); !errors.Is(r.Err, arc.UnknownTool) || !strings.Contains(r.Err.Message, "tracker__tickets") {
			t.Errorf("got %v", r)
		}
	})
	t.Run("a name that is taken and a broken schema cost that tool alone, and it says so", func(t *testing.T) {
		if r := call(t, after, "shell_exec", `{"command":"make"}`); r.Err != nil {
			t.Errorf("the first of the name is gone: %v", r)
		}
		var all []string
		for _, err := range after.Hidden() {
			all = append(all, err.Error())
		}
		text := strings.Join(all, "\n")
		for _, want := range []string{"tool shell_exec: the name is taken", "tool tracker__broken: its schema is not one of an object"} {
			if !strings.Contains(text, want) {
				t.Errorf("hidden does not say %q but\n%s", want, text)
			}
		}
	})
	t.Run("a service's arguments are mended and refused like ours", func(t *testing.T) {
		r := call(t, after, "tracker__tickets", `{"ID":7}`)
		if r.Err == nil || r.Err.Message != `the arguments object has no property "ID" (did you mean "id"?); it has id; id is missing.` {
			t.Errorf("got %v", r.Err)
		}
	})
	t.Run("a service's long answer is cut", func(t *testing.T) {
		h.service.set(service("tracker__dump", `{"type":"object"}`, strings.Repeat("é", 50_000)))
		r := call(t, h.set.Session(h.turn), "tracker__dump", `{}`)
		if head, body, _ := strings.Cut(r.String(), "\n"); len(body) != tools.MaxBody || !strings.Contains(head, `"truncated":true,"total_bytes":100000`) {
			t.Errorf("got %s and %d bytes", head, len(body))
		}
	})
}

func TestTheContractHoldsForAGrantWithdrawnHalfWay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.set.Session(h.turn)
	if r := call(t, s, "tracker__ticket", `{"id":7}`); r.Err != nil {
		t.Fatal(r.Err)
	}
	now := h.turn.Env
	now.Services = nil
	h.env = &now
	if r := call(t, s, "tracker__ticket", `{"id":7}`); !errors.Is(r.Err, arc.ServiceNotGranted) {
		t.Errorf("got %v", r)
	}
	const want = `{"tools":[],"names":["shell_job"],"notices":["No tool fits these words; these names can be called, or searched for."]}`
	if r := call(t, s, "tool_search", `{"query":"tickets"}`); r.String() != want {
		t.Errorf("a search still offers it: %s", r)
	}
	now.Access = arc.Safe
	if r := call(t, s, "shell_exec", `{"command":"ls"}`); !errors.Is(r.Err, arc.Unavailable) {
		t.Errorf("got %v", r)
	}
}

func TestTheContractHoldsWhilePlanning(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	wrote := false
	writer := does(arc.Definition{Name: "stranger"}, func(context.Context, arc.Call) (*arc.Result, error) { wrote = true; return nil, nil })
	h.service.set(writer, service("tracker__ticket", ticketSchema, ""))
	turn := h.turn
	turn.Mode = arc.Planning
	s := h.set.Session(turn)
	if got, want := names(s.List()), []string{"save_notes", "submit_plan", "tool_search", "web_fetch"}; !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, name := range []string{"stranger", "tracker__ticket", "shell_exec", "computer", "finish", "wait"} {
		if r := call(t, s, name, `{}`); !errors.Is(r.Err, arc.Unavailable) || !strings.Contains(r.Err.Message, "planning") {
			t.Errorf("%s: got %v", name, r)
		}
	}
	if wrote {
		t.Error("the stranger wrote")
	}
	r := call(t, s, "submit_plan", `{"summary":"s","subtasks":"[{\"title\":\"t\",\"instruction\":\"i\",\"target_files\":\"a.go\",\"acceptance\":\"a\"}]"}`)
	if r.End != arc.Planned || r.String() != `{"subtasks":1}` {
		t.Errorf("got %v", r)
	}
	if r := call(t, h.set.Session(h.turn), "submit_plan", `{}`); !errors.Is(r.Err, arc.Unavailable) {
		t.Errorf("outside of planning: got %v", r)
	}
}
