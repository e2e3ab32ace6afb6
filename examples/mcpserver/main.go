package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/term"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/examples/internal/usage"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// Exit codes.
const (
	exitOK     = 0
	exitBroken = 1 // the client said what is no message
	exitWrong  = 2 // wrong use, or nothing could be served
)

func main() {
	ctx, stop := local.Interruptible()
	out := os.Stdout
	os.Stdout = os.Stderr // what is printed in passing is not to stand between messages
	code := run(ctx, os.Args[1:], os.Stdin, out, os.Stderr)
	stop()
	runtime.KeepAlive(out) // collected, it would be closed, and its number be given to a connection
	os.Exit(code)
}

// A program is what was asked for.
type program struct {
	local.Options
	dir, room   string
	operator    bool
	conformance bool
	http        string
	tokenFile   string
	stderr      io.Writer
}

// A server serves one client, and may be called for several at once.
type server func(ctx context.Context, client mcp.Transport) error

// run is the program.
func run(ctx context.Context, args []string, stdin io.ReadCloser, stdout io.Writer, stderr io.Writer) (code int) {
	p := &program{stderr: stderr}
	fs := usage.Flags("mcpserver")
	fs.StringVar(&p.dir, "dir", ".", "the project's `folder`")
	fs.StringVar(&p.room, "room", "", "act in a turn of the seat in the room of this `name`")
	fs.Func("check", "with -room, a `command` that must succeed before the seat's run may finish; repeatable", func(s string) error {
		p.Checks = append(p.Checks, s)
		return nil
	})
	fs.BoolVar(&p.operator, "operator", false, "the tools are the operator's verbs; with -room, for that room alone")
	fs.StringVar(&p.http, "http", "", "serve over HTTP at this `address` of loopback, in place of standard input and output")
	fs.StringVar(&p.tokenFile, "token-file", "", "with -http, the `file` of the bearer token, made if it is missing (default: one is made and printed)")
	fs.BoolVar(&p.conformance, "conformance", false, "offer what the MCP conformance suite looks for, and nothing else")
	verbose := fs.Bool("v", false, "log each call on standard error")
	p.AddFlags(fs)
	err := fs.Parse(args)
	switch {
	case err != nil:
	case fs.NArg() > 0:
		err = fmt.Errorf("%q is too much", fs.Arg(0))
	case p.tokenFile != "" && p.http == "":
		err = errors.New("-token-file is for -http")
	case len(p.Checks) > 0 && (p.room == "" || p.operator):
		err = errors.New("-check is for the seat of a -room")
	case p.conformance && (p.operator || p.room != ""):
		err = errors.New("-conformance serves nothing of a seat")
	}
	if err != nil {
		return usage.Told(stderr, fs, err, help)
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelDebug
	}
	p.Logger = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	p.Stop = ctx.Done()
	serve, leave, err := p.open()
	if err != nil {
		return p.failed(err, exitWrong)
	}
	defer func() {
		// Also after a signal: what still runs is ended, and not waited for long.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := leave(ctx); err != nil {
			code = max(code, p.failed(err, exitWrong))
		}
	}()
	if p.http != "" {
		if err := p.listen(ctx, serve); err != nil {
			return p.failed(err, exitWrong)
		}
		return exitOK
	}
	if f, ok := stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(stderr, "mcpserver: waiting for an MCP client on standard input; -h says how one starts it")
	}
	err = serve(ctx, &mcp.IOTransport{Reader: stdin, Writer: unclosed{stdout}, MaxLineLength: mcptool.MaxMessage})
	if err != nil && ctx.Err() == nil {
		return p.failed(err, exitBroken)
	}
	return exitOK
}

// unclosed is standard output, which outlives the client.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// open opens what is to be served. The caller closes it with what it returns.
func (p *program) open() (server, func(context.Context) error, error) {
	if p.conformance {
		serve, err := p.fixtures()
		return serve, func(context.Context) error { return nil }, err
	}
	if p.operator {
		return p.verbs()
	}
	o := p.Options
	o.Seats = p.room != ""
	host, err := local.Open(p.dir, &o)
	if err != nil {
		return nil, nil, err
	}
	set, err := host.Set(&tools.Options{Logger: p.Logger})
	if err != nil {
		return nil, nil, errors.Join(err, host.Close(context.Background()))
	}
	if p.room != "" {
		r := &room{program: p, host: host, set: set}
		return r.serve, host.Close, nil
	}
	return func(ctx context.Context, client mcp.Transport) error {
		return mcptool.Serve(ctx, set, host.Turn(arc.Origin{}), client, p.serving())
	}, host.Close, nil
}

// serving are the options that all surfaces share.
func (p *program) serving() *mcptool.ServeOptions {
	return &mcptool.ServeOptions{Title: "Arc", OnDemand: p.Compact, Logger: p.Logger}
}

func (p *program) failed(err error, code int) int {
	trouble.Tell(p.stderr, "mcpserver", err)
	return code
}

func help(fs *flag.FlagSet) {
	fmt.Fprint(fs.Output(), `usage: mcpserver [flags]

Offers the tools of a project folder to an MCP client, which starts this program and
speaks with it on standard input and output:

       claude mcp add arc -- mcpserver -dir D
       codex mcp add arc -- mcpserver -dir D
       gemini mcp add arc mcpserver -- -dir D
       opencode mcp add arc -- mcpserver -dir D

Exit code: 0, 1 when the client sent what is no message, 2 for wrong use, a project that
cannot be opened, a store of seats that another process owns.

`)
	fs.PrintDefaults()
}
