package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/examples/internal/usage"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// Exit codes.
const (
	exitOK      = 0
	exitRefused = 1 // and 2 for wrong use, as usage.Told has it
)

func main() {
	ctx, stop := local.Interruptible()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// A request is what the command line asks for.
type request struct {
	dir, room, member, by string
	json                  bool
	dryRun, dropQueued    bool
	supersedeRequest      bool
	revision              *int64 // of the history, or of the plan
	requestID, originID   string
	source                int64
	maxSteps, maxChars    int
	before                string
	limit                 int
	parent                int64
	words                 []string // the verb and what it is about

	local local.Options
}

// run is the program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout *os.File, stderr io.Writer) (code int) {
	r := request{local: local.Options{Seats: true}}
	fs := r.flags()
	err := r.parse(fs, args)
	if err == nil {
		err = r.wrong()
	}
	if err == nil {
		err = r.strays(fs)
	}
	if err != nil {
		return usage.Told(stderr, fs, err, help)
	}
	o := &operator{request: r, paper: paint.New(stdout)}
	for i, w := range o.words {
		if w == "-" {
			b, err := io.ReadAll(stdin)
			if err != nil {
				return o.refused(err, stderr)
			}
			o.words[i] = strings.TrimSuffix(string(b), "\n")
		}
	}
	leave, err := o.sit(ctx)
	if err != nil {
		return o.refused(err, stderr)
	}
	defer func() {
		if err := leave(); err != nil {
			code = max(code, o.refused(err, stderr))
		}
	}()
	if err := o.findRoom(ctx); err != nil {
		return o.refused(err, stderr)
	}
	if err := commands[o.words[0]].do(o, ctx); err != nil {
		return o.refused(err, stderr)
	}
	return exitOK
}

// operator is the program with its desk.
type operator struct {
	request
	desk  desk.Desk
	paper paint.Paper
}

// maxRooms is how many rooms a refusal names.
const maxRooms = 20

// findRoom is the room that -room names, or the only one that there is.
func (o *operator) findRoom(ctx context.Context) error {
	if o.makes() || strings.Contains(o.room, "#") { // a run, perhaps an earlier one
		return nil
	}
	list, _, err := ask[[]desk.Seat](ctx, o, "seats", desk.SeatsArgs{Room: o.room})
	if err != nil || o.room != "" && len(list) > 0 {
		return err
	}
	if o.room != "" { // it is misspelt: what is there instead?
		if list, _, err = ask[[]desk.Seat](ctx, o, "seats", desk.SeatsArgs{}); err != nil {
			return err
		}
	}
	var rooms []string
	for _, s := range list {
		rooms = append(rooms, s.Room)
	}
	named := strings.Join(rooms[:min(len(rooms), maxRooms)], ", ")
	if len(rooms) > maxRooms {
		named += " and more"
	}
	switch {
	case o.room != "" && len(rooms) > 0:
		return &arc.Error{
			Code:    arc.NotFound,
			Message: fmt.Sprintf("there is no room %q; there are: %s.", o.room, named),
			Detail:  map[string]any{"kind": "room"},
		}
	case len(rooms) == 0:
		return &arc.Error{Code: arc.NotFound, Message: "no room was ever made here; examples/agent -room NAME makes one, and so does task add with -room NAME."}
	case len(rooms) > 1:
		return &arc.Error{
			Code:    seat.SeatAmbiguous,
			Message: "there are several rooms; -room names one of them: " + named + ".",
			Detail:  map[string]any{"candidates": rooms},
		}
	}
	o.room = rooms[0]
	return nil
}

func (o *operator) ref() seat.Ref { return seat.Ref{RunID: o.room, MembershipID: o.member} }

// ask does a verb and reads its answer.
func ask[R any](ctx context.Context, o *operator, verb string, args any) (r R, raw json.RawMessage, err error) {
	raw, err = o.desk.Do(ctx, o.by, verb, args)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, raw, err
}

// turn is the turn that a word names: an id, a number, last.
func (o *operator) turn(ctx context.Context, word string) (string, error) {
	number, err := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64)
	if err != nil && word != "last" {
		return word, nil
	}
	if word == "last" && o.requestID != "" {
		return "", &arc.Error{
			Code:    arc.InvalidArguments,
			Message: "last may be another turn when this is sent again; with -request-id, name the turn by its id or its number.",
			Detail:  map[string]string{"reason": "turn"},
		}
	}
	for before := ""; ; {
		st, _, err := ask[seat.Status](ctx, o, "status", seat.StatusArgs{Ref: o.ref(), Before: before, Limit: 100})
		if err != nil {
			return "", err
		}
		if word == "last" {
			switch {
			case st.LastTurnID != "":
				return string(st.LastTurnID), nil
			case st.Busy != nil: // the first one, which runs or was interrupted
				return string(st.Busy.ActiveTurnID), nil
			}
			return "", &arc.Error{Code: arc.NotFound, Message: "the seat has no turn yet."}
		}
		for _, t := range st.Turns {
			if t.Seq == number {
				return string(t.TurnID), nil
			}
		}
		if len(st.Turns) < 100 {
			return "", &arc.Error{Code: arc.NotFound, Message: fmt.Sprintf("the seat has no turn %d; status lists them.", number)}
		}
		before = string(st.Turns[len(st.Turns)-1].TurnID)
	}
}

// refused tells why the verb was not done, and returns the exit code.
func (o *operator) refused(err error, stderr io.Writer) int {
	e := trouble.Of(err)
	if o.json {
		if b, err := json.Marshal(map[string]error{"error": e}); err == nil {
			fmt.Fprintf(o.paper.Out, "%s\n", b)
			return exitRefused
		}
	}
	trouble.Tell(stderr, "operator", err)
	for _, l := range details(e.Detail) {
		fmt.Fprintf(stderr, "  %s\n", paint.Clean(l))
	}
	return exitRefused
}

// details are an error's fields as lines, but for those that its message has said.
func details(d any) (lines []string) {
	var all map[string]any
	if b, err := json.Marshal(d); err != nil || json.Unmarshal(b, &all) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list, ok := all[name].([]any)
		if !ok {
			list = []any{all[name]}
		}
		for _, v := range list {
			text, ok := v.(string)
			if !ok {
				b, err := json.Marshal(v)
				if err != nil {
					continue
				}
				text = string(b)
			}
			if !slices.Contains([]string{"kind", "reason", "candidates", "holder"}, name) {
				lines = append(lines, name+": "+text)
			}
		}
	}
	return lines
}
