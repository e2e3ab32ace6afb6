package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/desk"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// Exit codes.
const (
	exitOK      = 0
	exitRefused = 1
	exitUsage   = 2
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
	revision              int64 // negative: none
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
	fs := r.flags(stderr)
	if err := r.parse(fs, args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	if len(r.words) == 0 || commands[r.words[0]].do == nil || !commands[r.words[0]].fits(len(r.words)-1) {
		fs.Usage()
		return exitUsage
	}
	for i, w := range r.words {
		if w == "-" {
			b, err := io.ReadAll(stdin)
			if err != nil {
				return failed(stderr, err)
			}
			r.words[i] = strings.TrimSuffix(string(b), "\n")
		}
	}
	d, leave, err := r.sit(ctx)
	if err != nil {
		return failed(stderr, err)
	}
	defer func() {
		if err := leave(); err != nil {
			code = max(code, failed(stderr, err))
		}
	}()
	o := &operator{request: r, desk: d, paper: paint.New(stdout)}
	if err := o.findRoom(ctx); err != nil {
		return failed(stderr, err)
	}
	err = commands[r.words[0]].do(o, ctx)
	var e *arc.Error
	switch {
	case errors.As(err, &e):
		o.refused(e, stderr)
		return exitRefused
	case err != nil:
		return failed(stderr, err)
	}
	return exitOK
}

// sit finds the desk: this process's own, or that of the process which owns the
// store. leave closes what was opened.
func (r *request) sit(ctx context.Context) (d desk.Desk, leave func() error, err error) {
	leave = func() error { return nil }
	state, err := local.StateDir(r.dir, &r.local)
	if err != nil {
		return nil, nil, err
	}
	if !local.HasSeats(state) {
		return nil, nil, fmt.Errorf("no seat was ever run here; examples/agent -room NAME makes one")
	}
	host, err := local.Open(r.dir, &r.local)
	if errors.Is(err, arc.Locked) {
		d, no := desk.Knock(state)
		if no != nil {
			return nil, nil, err
		}
		return d, leave, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return desk.At(host), func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return host.Close(ctx)
	}, nil
}

// operator is the program with its desk.
type operator struct {
	request
	desk  desk.Desk
	paper paint.Paper
}

// findRoom is the room that -room names, or the only one that there is.
func (o *operator) findRoom(ctx context.Context) error {
	if o.room != "" {
		return nil
	}
	list, _, err := ask[[]desk.Seat](ctx, o, "seats", desk.None{})
	if err != nil {
		return err
	}
	var rooms []string
	for _, s := range list {
		if !slices.Contains(rooms, s.Room) {
			rooms = append(rooms, s.Room)
		}
	}
	if len(rooms) != 1 {
		return fmt.Errorf("-room names one of the rooms: %s", cmp.Or(strings.Join(rooms, ", "), "there is none yet"))
	}
	o.room = rooms[0]
	return nil
}

func (o *operator) ref() seat.Ref { return seat.Ref{RunID: o.room, MembershipID: o.member} }

// rev is the revision that was read, if the operator says one.
func (o *operator) rev() *int64 {
	if o.revision < 0 {
		return nil
	}
	return &o.revision
}

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
	var number int64
	if n, err := fmt.Sscan(strings.TrimPrefix(word, "#"), &number); (n != 1 || err != nil) && word != "last" {
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
			if st.LastTurnID == "" {
				return "", &arc.Error{Code: arc.NotFound, Message: "the seat has no turn yet."}
			}
			return string(st.LastTurnID), nil
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

// refused tells what a verb was refused for.
func (o *operator) refused(e *arc.Error, stderr io.Writer) {
	if o.json {
		b, err := json.Marshal(map[string]error{"error": e})
		if err == nil {
			fmt.Fprintf(o.paper.Out, "%s\n", b)
			return
		}
	}
	fmt.Fprintf(stderr, "operator: %s\n", paint.Clean(e.Error()))
	if d, err := json.Marshal(e.Detail); err == nil && e.Detail != nil && string(d) != "{}" {
		fmt.Fprintf(stderr, "  %s\n", paint.Clean(string(d)))
	}
}

func failed(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "operator:", err)
	return exitUsage
}
