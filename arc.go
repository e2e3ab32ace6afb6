// Package arc is the contract between an agent's host and its tools: what a
// tool is, what a call and its result are, and what a host says of the turn in
// which they meet. It imports the standard library only, keeps no globals and
// starts no goroutines.
//
// # Overview
//
// A [Provider] hands over [Tool]s. A tool says what it is in a [Definition] and
// does its work in Call. The host describes the turn in a [Turn]: what the room
// allows ([Env]), who is asking ([Origin]), and the seat whose turn it is
// ([Seat]). Package tools joins the two: it lists, searches, checks, calls and
// bounds. The families (workspace, shell, and so on) are typed Go libraries
// first and providers second.
//
// # Usage
//
// Most tools are made by tools.New from a typed function. A tool by hand needs
// two methods:
//
//	type clock struct{}
//
//	func (clock) Definition(arc.Env) arc.Definition {
//		return arc.Definition{
//			Name:        "clock",
//			Description: "Tell the time in UTC.",
//			Schema:      json.RawMessage(`{"type":"object","properties":{}}`),
//			Effects:     arc.Effects{ReadOnly: true},
//		}
//	}
//
//	func (clock) Call(context.Context, arc.Call) (*arc.Result, error) {
//		return &arc.Result{Body: time.Now().UTC().Format(time.RFC3339)}, nil
//	}
//
// # Trust
//
// Arguments are a model's and a Body may be a stranger's: both are data. A
// session repairs and checks arguments before Call sees them, and renders a
// Body only after the header line, so that no file or page can pass for the
// host's own words.
//
// # Concurrency
//
// A Tool and a Provider are used from many goroutines at once. A [Result] is
// its caller's. [Turn.Progress] is called from several goroutines and must not
// block.
//
// # Errors
//
// Only an [*Error] reaches a model: a stable [Code], one sentence that says what
// to do next, and where it helps the exact next call. Hosts compare codes with
// errors.Is(err, arc.Stale).
package arc

import (
	"context"
	"encoding/json"
	"time"
)

// A Tool is one thing that a model can do. It is safe for concurrent use.
type Tool interface {
	// Definition says what the tool is. It is pure, and memoised because it is
	// asked at each listing and at each call: the second time it allocates
	// nothing. Env may change Description and Schema, nothing else.
	Definition(Env) Definition

	// Call does the work. Result and error may both be set: a refusal with a
	// picture, a batch that stopped half-way. It returns soon after ctx ends.
	Call(context.Context, Call) (*Result, error)
}

// A Provider has tools. It is safe for concurrent use.
type Provider interface {
	// Tools are those of this moment; who asks modifies neither them nor the slice. A
	// session asks once, so that a list is constant within a turn.
	Tools() []Tool
}

// A Definition is what a model is told of a tool, and what decides whether it
// is told at all; see [Definition.Check].
type Definition struct {
	Name        string          // letters, digits, _ and -; at most 64 bytes
	Description string          // in the model's prompt: short
	Schema      json.RawMessage // JSON Schema of an object, property order kept; shared, never modified
	Listing     Listing         // where it first appears
	Needs       Needs           // without which it is neither listed nor callable
	Effects     Effects         // what a call may do
	Native      string          // "computer": a model that brings its own tool of this name gets that instead
}

// Listing says where a tool first appears.
type Listing uint8

const (
	Direct   Listing = iota // in the first list
	Hosted                  // in the first list, but found by search on a compact one
	Discover                // found by search
)

// Effects say what a call may do. The zero value is the careful one: the tool
// writes, so it runs alone, and never while planning.
type Effects struct {
	ReadOnly    bool // changes nothing outside the seat; neighbours run side by side
	Destructive bool // may destroy what cannot be brought back
	Undoable    bool // each change can be undone
	OpenWorld   bool // reaches what the host does not control
	EndsTurn    bool // runs after the rest of its batch
}

// Needs say what a turn must have for the tool to be offered. The zero value
// is always offered, except while planning, where a tool must be ReadOnly.
type Needs struct {
	Access   Access     // at least this
	Planning InPlanning // in which mode
	Project  bool       // a project folder
	Desktop  bool       // a desktop
	Vision   bool       // a model that sees images
	Seat     bool       // a seat, Turn.Seat
	Service  string     // the MCP service that must be granted; "*": any one
}

// Access is what the room allows.
type Access uint8

const (
	Safe       Access = iota // the project's files and public addresses
	FullAccess               // the host's shell, desktop and services as well
)

// Mode is what the turn is for.
type Mode uint8

const (
	Ordinary Mode = iota // all that the room allows
	Planning             // look, then submit a plan or answer; nothing outside the seat changes
)

// InPlanning says how a tool stands to planning mode.
type InPlanning uint8

const (
	IfReadOnly InPlanning = iota // offered while planning if it is ReadOnly
	Allowed                      // offered in both modes: save_notes
	Required                     // offered only while planning: submit_plan, answer_user
)

// Env is what a room, its host and its model allow: plain data. The zero value
// is Safe, has no project and no desktop, and serves a model of text alone.
type Env struct {
	Access   Access   // what the room allows
	Mode     Mode     // what the turn is for
	Project  bool     // there is a project folder
	Services []string // MCP services granted to the seat
	Deny     []string // tools that the workspace's policy withholds: neither listed nor callable
	Desktop  Desktop  // that tools may operate; zero: none
	Model    Model    // what the turn's model can take
}

// Desktop is the desktop that tools may operate; the zero value is none.
type Desktop struct {
	OS            string // as runtime.GOOS
	Width, Height int    // pixels of the screenshots that this model gets
}

// Model says what the turn's model can take.
type Model struct {
	Compact   bool     // a short first list: hosted tools are found by search
	Vision    bool     // it sees images
	Grid      bool     // its coordinates are 0–999, not pixels
	Actions   int      // desktop actions a call; 0 is 1
	MaxEdge   int      // longest edge of an image in pixels; 0 is the tool's own limit
	MaxPixels int      // pixels of an image; 0 is the tool's own limit
	Native    []string // native tools that the host sends itself
}

// A Turn is what a host knows of the turn at hand: made once, by package seat
// or by hand.
type Turn struct {
	Env                           // what the turn allows
	Origin   Origin               // who asks
	Seat     Seat                 // nil: no turn-control tools
	Progress func(Call, Progress) // called from several goroutines, must not block; nil: nobody listens
}

// An Origin says who asked. Journals, jobs and spools record it; Seat owns the
// jobs, spools, snapshots and outputs. The zero value is the host itself.
type Origin struct {
	Run  string // the run of the seat's room
	Seat SeatID // empty: the host
	Turn TurnID // of that seat
	Call string // the id of the call within the turn, set by a session
}

// SeatID names a seat, TurnID one of its turns. Both are opaque.
type (
	SeatID string
	TurnID string
)

// A Call is one use of a tool. A session sets Turn, makes ID unique within it,
// and repairs and checks Args.
type Call struct {
	Turn                 // that it is made in
	ID   string          // unique in its turn: each effect of a call happens once
	Name string          // of the tool
	Args json.RawMessage // an object that fits the tool's schema
}

// Progress is news of a running call, for a person's screen.
type Progress struct {
	Message     string  // a line for a person
	Done, Total float64 // how far it is, in the tool's own unit; Total 0: not known
	Output      []byte  // raw, never for the model; valid until the listener returns
}

// Report tells the turn's listener, if there is one.
func (c Call) Report(p Progress) {
	if c.Progress != nil {
		c.Progress(c, p)
	}
}

// A Result is what a call came to. It belongs to the caller.
// [Result.AppendText] is how a model sees it.
type Result struct {
	Data    any      // marshals to a JSON object; nil: Body alone
	Body    string   // at most 64 KiB, never escaped
	Images  []Image  // for a model that sees them
	Next    *Next    // the exact next call; its tool is listed from now on
	Offers  []string // names that a search found: listed from now on
	Touched []Touch  // what outlives the call; checkpoints, dry runs, gates and screens read it
	Notices []string // the host's or the seat's words to the model, in the header
	Err     *Error   // set by a session
	End     End      // whether, and how, the turn ends here
}

// An Image is a picture for the model.
type Image struct {
	MIME string // image/png or image/jpeg
	Data []byte // the file
}

// A Touch is one thing that a call did and that outlives it.
type Touch struct {
	Kind     string // read, changed, command, job, call, task, claim, artifact, decision, or a host's own
	ID       string // change_…, job_…, or what Kind calls for
	Path     string // relative to the project, with slashes
	SHA256   string // of the file as it was read or left
	Note     string // a few words for a person
	Undoable bool   // a tool can take it back
}

// End says how a call leaves the turn.
type End uint8

const (
	Continue End = iota // the turn goes on
	Finished            // the run is finished
	Waiting             // the seat waits for a time, a task or a job
	Planned             // a plan was submitted
	Answered            // the user was answered
)

// Next is a call that the model can make as it stands.
type Next struct {
	Tool      string `json:"tool"`      // its name
	Arguments any    `json:"arguments"` // marshals to the object of its arguments
}

// A Seat is one turn's hold on its seat; package seat has one. In each method call
// is a Call.ID: with the turn it makes every effect happen once, and a call that is
// repeated is answered as it was. What is beyond a limit is invalid_arguments, and a
// turn that has ended or was taken over refuses every call. It is safe for concurrent
// use.
type Seat interface {
	// ID is the seat that the turn is of.
	ID() SeatID
	// SaveNotes replaces the seat's notes, of at most 4,000 characters.
	SaveNotes(ctx context.Context, call, notes string) (*Result, error)
	// Remind arms a wake; the turn goes on.
	Remind(ctx context.Context, call string, r Reminder) (*Result, error)
	// Wait ends the turn as Waiting, or Continues if what it waits for is there.
	Wait(ctx context.Context, call string, w Wait) (*Result, error)
	// Finish ends the turn as Finished, or Continues while a gate is open.
	Finish(ctx context.Context, call string, f Finish) (*Result, error)
	// SubmitPlan ends a planning turn as Planned.
	SubmitPlan(ctx context.Context, call string, p Plan) (*Result, error)
	// Answer ends a planning turn as Answered.
	Answer(ctx context.Context, call, text string) (*Result, error)
}

// A Reminder comes back to the seat with its note.
type Reminder struct {
	After time.Duration // above zero, at most 366 days
	Note  string        // at most 1,500 characters
}

// A Wait yields the turn for exactly one of After, TaskID and JobID.
type Wait struct {
	After   time.Duration // as a Reminder's
	Timeout time.Duration // for a task or a job: at most 366 days; zero: 24 h
	TaskID  int64         // a task of the room: until it is done or cancelled
	JobID   string        // a background job of the seat: until it has ended
	Note    string        // what to do then; at most 1,500 characters
}

// Finish asks for the end of the run.
type Finish struct {
	Summary        string // what was done
	ReplyMessageID int64  // the room message with the answer; zero: none
}

// A Plan is what a planning turn hands over, in order.
type Plan struct {
	Summary  string    // what it is for
	Subtasks []Subtask // at least one and at most 12
}

// A Subtask is one step of a Plan.
type Subtask struct {
	Title       string   // a few words
	Instruction string   // what is to be done
	Acceptance  string   // how one sees that it is done
	TargetFiles []string // at least one that it is to change, relative to the project
}
