package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/examples/internal/usage"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
)

// Exit codes.
const (
	exitOK      = 0
	exitRefused = 1
	exitNoCall  = 2 // as for wrong use
)

func main() {
	ctx, stop := local.Interruptible()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	var o local.Options
	fs := usage.Flags("call")
	dir := fs.String("dir", ".", "the project's `folder`")
	script := fs.Bool("script", false, "read calls from standard input, a JSON object a line, and answer each in turn")
	list := fs.Bool("list", false, "print the tools as a JSON array")
	var op operation
	fs.StringVar(&op.resolve, "resolve", "", "settle an ambiguous change: `CHANGE=keep|before|after`")
	fs.StringVar(&op.accept, "accept-journal", "", "go on with a damaged journal, for a `reason` that is journaled")
	room := fs.String("room", "", "make the calls in a turn of the seat in the room of this `name`; the turn is kept as an exchange of the room")
	operator := fs.Bool("operator", false, "the tools are the operator's verbs; with -room, for that room alone")
	o.AddFlags(fs)
	wrong := ""
	err := fs.Parse(args)
	switch n := fs.NArg(); {
	case err != nil:
	case *script && *list:
		wrong = "-script and -list are two things to do; take one"
	case (*script || *list || op.asked()) && n > 0:
		wrong = fmt.Sprintf("%q is too much beside -script, -list, -resolve or -accept-journal", fs.Arg(0))
	case *operator && op.asked():
		wrong = "-operator is for seats, and -resolve and -accept-journal for the journal; take one"
	case !*script && !*list && !op.asked() && n == 0:
		wrong = "a tool's name is missing; -list lists them"
	case n > 2:
		wrong = fmt.Sprintf("a tool takes one object of arguments, and %q is too much; quote the object", fs.Arg(2))
	}
	if wrong != "" {
		err = errors.New(wrong)
	}
	if err != nil {
		return usage.Told(stderr, fs, err, help)
	}
	listTurn := *list && *room != "" && !*operator // nothing is to be remembered of a list
	if listTurn {
		o.Providers = append(o.Providers, seat.Tools())
	}
	o.Seats = (*room != "" || *operator) && !listTurn
	fill := asIs
	if *operator && *room != "" {
		fill = func(args []byte) []byte { return inRoom(args, *room) }
	}
	act := func(ctx context.Context, session *tools.Session) int {
		var err error
		switch {
		case *list:
			err = printList(stdout, session)
		case *script:
			err = runScript(ctx, session, fill, stdin, stdout)
		default:
			return callOne(ctx, session, fill, fs.Args(), stdin, stdout, stderr)
		}
		if err != nil {
			return failed(stderr, err)
		}
		return exitOK
	}
	if *operator && looks(*list, fs.Args()) {
		return looking(ctx, *dir, &o, *room, stderr, act)
	}
	o.Stop = ctx.Done()
	host, err := local.Open(*dir, &o)
	if err != nil {
		return failed(stderr, err)
	}
	defer func() {
		// Also after a signal: what still runs is ended, and not waited for long.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := host.Close(ctx); err != nil {
			code = max(code, failed(stderr, err))
		}
	}()
	set, err := host.Set(nil)
	if *operator {
		set, err = verbs(host.Seats, host.Operator, *room)
	}
	if err != nil {
		return failed(stderr, err)
	}
	switch {
	case op.asked():
		if err := op.run(ctx, host.Workspace, stdout); err != nil {
			return failed(stderr, err)
		}
		return exitOK
	case *operator:
		return act(ctx, set.Session(arc.Turn{}))
	case listTurn:
		turn := host.Turn(arc.Origin{})
		turn.Seat = noSeat{}
		return act(ctx, set.Session(turn))
	case *room != "":
		return inTurn(ctx, host, *room, o.Mode, set, stderr, act)
	}
	return act(ctx, set.Session(host.Turn(arc.Origin{})))
}

// callOne makes the call of the command line.
func callOne(ctx context.Context, session *tools.Session, fill func([]byte) []byte, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := arc.Call{Name: args[0]}
	if len(args) == 2 {
		c.Args = []byte(args[1])
		if args[1] == "-" {
			var err error
			if c.Args, err = io.ReadAll(stdin); err != nil {
				return failed(stderr, err)
			}
		}
	}
	c.Args = fill(c.Args)
	r := session.Call(ctx, c)
	text, err := r.AppendText(nil)
	if err != nil {
		return failed(stderr, err)
	}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n') // for the prompt's sake; a pipe gets what a model gets
	}
	if _, err := stdout.Write(text); err != nil {
		return failed(stderr, err)
	}
	if r.Err != nil {
		return exitRefused
	}
	return exitOK
}

func failed(stderr io.Writer, err error) int {
	trouble.Tell(stderr, "call", err)
	return exitNoCall
}

func help(fs *flag.FlagSet) {
	fmt.Fprint(fs.Output(), `usage: call [flags] NAME ['JSON' | -]   make a call, print what a model would see
       call [flags] -script             calls from standard input, {"name":…,"args":…} a line
       call [flags] -list               the tools, as a JSON array
       call [flags] -room NAME …        the same in a turn of a seat, which the room keeps:
                                        an exchange a run of this program
       call [flags] -operator …         the same with the operator's verbs
       call [flags] -resolve … | -accept-journal …
                                        the operator settles what blocks changes

Exit code: 0, 1 when the tool refused, 2 when no call could be made: for wrong use, a
project that cannot be opened, a store of seats that another process owns.

`)
	fs.PrintDefaults()
}
