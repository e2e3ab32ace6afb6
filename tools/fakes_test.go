package tools_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// A small fake of every family, so that the contract is tried before it is built
// on. Each is written as its family would be: a typed thing first, and a list of
// tools that join its methods to calls.

// fakeShell knows one background job.
type fakeShell struct {
	mu   sync.Mutex
	jobs map[string]arc.SeatID // the seat that owns each job
	done map[string]bool
}

// JobStatus is what a seat asks before it waits. Another seat's job is not found.
func (f *fakeShell) JobStatus(_ context.Context, seat arc.SeatID, job string) (status string, ended bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if owner, ok := f.jobs[job]; !ok || owner != seat {
		return "", false, &arc.Error{Code: arc.NotFound, Message: "There is no such job; see shell_job.", Detail: map[string]string{"kind": "job"}}
	}
	return "running", f.done[job], nil
}

func (f *fakeShell) Tools() []arc.Tool {
	needs := arc.Needs{Access: arc.FullAccess, Project: true}
	return []arc.Tool{
		tools.New(arc.Definition{Name: "shell_exec", Needs: needs}, func(_ context.Context, c arc.Call, a execArgs) (*arc.Result, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.jobs["job_1"] = c.Origin.Seat
			c.Report(arc.Progress{Output: []byte("building")})
			return &arc.Result{
				Data:    map[string]string{"status": "running", "job_id": "job_1"},
				Body:    "building",
				Next:    &arc.Next{Tool: "shell_job", Arguments: map[string]string{"job_id": "job_1"}},
				Touched: []arc.Touch{{Kind: "command", ID: c.ID}, {Kind: "job", ID: "job_1"}},
			}, nil
		}),
		tools.Func(arc.Definition{Name: "shell_job", Listing: arc.Discover, Needs: needs, Effects: arc.Effects{ReadOnly: true}},
			func(_ context.Context, a struct {
				_     tools.Closed
				JobID string `json:"job_id" jsonschema_description:"The job"`
				Tail  bool   `json:"tail,omitempty" jsonschema_description:"Its end"`
			}) (map[string]string, error) {
				return map[string]string{"job_id": a.JobID, "status": "running"}, nil
			}),
	}
}

// fakeSeat is one turn's hold on a seat. It makes each effect happen once, by
// turn and call.
type fakeSeat struct {
	arc.Seat // the rest is not used
	id       arc.SeatID
	jobs     interface {
		JobStatus(context.Context, arc.SeatID, string) (string, bool, error)
	}
	gate bool // an open gate holds up finish

	mu    sync.Mutex
	waits map[string]arc.Wait // by call
}

func (f *fakeSeat) ID() arc.SeatID { return f.id }

func (f *fakeSeat) Wait(ctx context.Context, call string, w arc.Wait) (*arc.Result, error) {
	if w.JobID != "" {
		_, ended, err := f.jobs.JobStatus(ctx, f.id, w.JobID)
		if err != nil {
			return nil, err
		}
		if ended {
			return &arc.Result{Data: map[string]bool{"satisfied": true}}, nil
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waits[call] = w
	return &arc.Result{Data: map[string]bool{"waiting": true}, End: arc.Waiting}, nil
}

func (f *fakeSeat) Finish(_ context.Context, _ string, fin arc.Finish) (*arc.Result, error) {
	if f.gate {
		return &arc.Result{Data: map[string]any{"missing": []string{"tests"}}}, nil
	}
	return &arc.Result{Data: map[string]string{"summary": fin.Summary}, End: arc.Finished}, nil
}

func (f *fakeSeat) SubmitPlan(_ context.Context, _ string, p arc.Plan) (*arc.Result, error) {
	return &arc.Result{Data: map[string]int{"subtasks": len(p.Subtasks)}, End: arc.Planned}, nil
}

func (f *fakeSeat) SaveNotes(_ context.Context, _, notes string) (*arc.Result, error) {
	return &arc.Result{Data: map[string]int{"size": len(notes)}}, nil
}

// seatTools are the same for every seat: the call brings its own.
type seatTools struct{}

func (seatTools) Tools() []arc.Tool {
	ends := arc.Effects{EndsTurn: true}
	return []arc.Tool{
		tools.New(arc.Definition{Name: "wait", Listing: arc.Hosted, Needs: arc.Needs{Seat: true}, Effects: ends},
			func(ctx context.Context, c arc.Call, a waitArgs) (*arc.Result, error) {
				w := arc.Wait{Note: a.Note}
				if s, ok := a.After.(string); ok {
					d, err := time.ParseDuration(s)
					if err != nil {
						return nil, &arc.Error{Code: arc.InvalidArguments, Message: "after is no duration; write it as 10m."}
					}
					w.After = d
				}
				if a.JobID != nil {
					w.JobID = *a.JobID
				}
				return c.Seat.Wait(ctx, c.ID, w)
			}),
		tools.New(arc.Definition{Name: "finish", Needs: arc.Needs{Seat: true}, Effects: ends},
			func(ctx context.Context, c arc.Call, a struct {
				Summary string `json:"summary" jsonschema_description:"What was done"`
			}) (*arc.Result, error) {
				return c.Seat.Finish(ctx, c.ID, arc.Finish{Summary: a.Summary})
			}),
		tools.New(arc.Definition{Name: "save_notes", Needs: arc.Needs{Seat: true, Planning: arc.Allowed}},
			func(ctx context.Context, c arc.Call, a struct {
				Notes string `json:"notes" jsonschema_description:"All notes"`
			}) (*arc.Result, error) {
				return c.Seat.SaveNotes(ctx, c.ID, a.Notes)
			}),
		tools.New(arc.Definition{Name: "submit_plan", Needs: arc.Needs{Seat: true, Planning: arc.Required}, Effects: ends},
			func(ctx context.Context, c arc.Call, a planArgs) (*arc.Result, error) {
				p := arc.Plan{Summary: a.Summary}
				for _, s := range a.Subtasks {
					p.Subtasks = append(p.Subtasks, arc.Subtask{
						Title: s.Title, Instruction: s.Instruction, Acceptance: s.Acceptance, TargetFiles: s.TargetFiles,
					})
				}
				return c.Seat.SubmitPlan(ctx, c.ID, p)
			}),
	}
}

// fakeWeb fetches from a table. What a PDF says it asks of a func, so that it
// needs no engine of its own.
type fakeWeb struct {
	pages   map[string]string
	pdfText func(context.Context, []byte) (string, error)
}

func (f *fakeWeb) Tools() []arc.Tool {
	return []arc.Tool{tools.Func(arc.Definition{
		Name: "web_fetch", Listing: arc.Hosted, Effects: arc.Effects{ReadOnly: true, OpenWorld: true},
	}, func(ctx context.Context, a struct {
		_      tools.Closed
		URL    string `json:"url" jsonschema_description:"Address"`
		Offset int    `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"First byte"`
	}) (*arc.Result, error) {
		page, ok := f.pages[a.URL]
		if !ok {
			return nil, &arc.Error{Code: "http_error", Message: "The server has no such page; search for another.", Detail: map[string]int{"status": 404}}
		}
		if strings.HasPrefix(page, "%PDF") {
			if f.pdfText == nil {
				return nil, &arc.Error{Code: arc.Unavailable, Message: "This host cannot read PDFs; look for a page.", Detail: map[string]string{"reason": "engine"}}
			}
			text, err := f.pdfText(ctx, []byte(page))
			if err != nil {
				return nil, err
			}
			page = text
		}
		if a.Offset > len(page) {
			return nil, &arc.Error{Code: arc.OutOfRange, Message: "The text is shorter.", Detail: map[string]int{"total": len(page)}}
		}
		const most = 10
		end := min(len(page), a.Offset+most)
		r := &arc.Result{
			Data: map[string]any{"url": a.URL, "untrusted": true, "truncated": end < len(page)},
			Body: page[a.Offset:end],
		}
		if end < len(page) {
			r.Next = &arc.Next{Tool: "web_fetch", Arguments: map[string]any{"url": a.URL, "offset": end}}
		}
		return r, nil
	})}
}

// fakeComputer has a frame; a click is good for the frame that it was taken from.
type fakeComputer struct {
	mu    sync.Mutex
	frame int
	shown int // the frame that the model has seen
}

func (f *fakeComputer) picture() []arc.Image {
	f.shown = f.frame
	return []arc.Image{{MIME: "image/png", Data: fmt.Appendf(nil, "frame %d", f.frame)}}
}

func (f *fakeComputer) Tools() []arc.Tool {
	tool := tools.Func(arc.Definition{
		Name: "computer", Description: "Operate the desktop.", Native: "computer",
		Needs: arc.Needs{Access: arc.FullAccess, Desktop: true, Vision: true}, Effects: arc.Effects{OpenWorld: true},
	}, func(_ context.Context, a desktopArgs) (*arc.Result, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		r := &arc.Result{Data: map[string]int{"done": 0}}
		for i, act := range a.Actions {
			if act.Action != "screenshot" && f.shown != f.frame {
				// The refusal brings the picture with which to try again.
				r.Images = f.picture()
				return r, &arc.Error{Code: "stale_frame", Message: "The screen has changed; look at this picture and decide again."}
			}
			if act.Action == "left_click" {
				f.frame++
			}
			r.Data = map[string]int{"done": i + 1}
		}
		r.Images = f.picture()
		return r, nil
	})
	return []arc.Tool{tools.Vary(tool, func(env arc.Env, d arc.Definition) arc.Definition {
		d.Description = fmt.Sprintf("Operate the %d×%d desktop.", env.Desktop.Width, env.Desktop.Height)
		d.Schema = []byte(strings.Replace(string(d.Schema), `"maxItems":1`, fmt.Sprintf(`"maxItems":%d`, max(1, env.Model.Actions)), 1))
		return d
	})}
}

// fakeService is an operator's MCP service; its list of tools changes.
type fakeService struct {
	mu   sync.Mutex
	list []arc.Tool
}

func (f *fakeService) Tools() []arc.Tool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.list
}

func (f *fakeService) set(list ...arc.Tool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = list
}

// serviceTool is a tool as it comes over MCP: a schema as text, arguments as they
// are.
type serviceTool struct {
	def  arc.Definition
	body string
}

func service(name, schema, body string) arc.Tool {
	return serviceTool{arc.Definition{
		Name: name, Description: "Query tickets.", Schema: []byte(schema), Listing: arc.Discover,
		Needs:   arc.Needs{Access: arc.FullAccess, Project: true, Service: strings.Split(name, "__")[0]},
		Effects: arc.Effects{OpenWorld: true, Destructive: true},
	}, body}
}

func (s serviceTool) Definition(arc.Env) arc.Definition { return s.def }

func (s serviceTool) Call(_ context.Context, c arc.Call) (*arc.Result, error) {
	return &arc.Result{Data: map[string]any{"got": c.Args}, Body: s.body}, nil
}
