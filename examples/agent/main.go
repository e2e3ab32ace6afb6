package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/examples/internal/usage"
	"github.com/arcseat/arc/examples/local"
)

// Exit codes.
const (
	exitDone        = 0
	exitNotDone     = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells say of Ctrl-C
)

func main() {
	ctx, stop := local.Interruptible()
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program.
func run(ctx context.Context, args []string, getenv func(string) string, stdout *os.File, stderr io.Writer) int {
	j := job{}
	fs := usage.Flags("agent")
	fs.StringVar(&j.dir, "dir", ".", "the project's `folder`")
	fs.StringVar(&j.check, "check", "", "a `command` that must succeed before the agent may finish, such as 'go test ./...'")
	w := wish{}
	w.flags(fs)
	fs.IntVar(&j.context, "context", 0, "`tokens` at which a conversation in a room begins anew with a checkpoint (default: none, and the limit of -steps alone)")
	fs.IntVar(&j.steps, "steps", 100, "`requests` to the model, at most; in a room, from one checkpoint to the next (at most 500)")
	fs.StringVar(&j.room, "room", "", "keep the conversation: a `name` for the room of the agent's seat")
	fs.BoolVar(&j.serve, "serve", false, "go on until Ctrl-C, with queued tasks, reminders and ended waits: of -room, or without it of every room")
	fs.StringVar(&j.local.Store, "store", "", "`URL` of a PostgreSQL database that keeps the rooms, for several machines (default: a file)")
	j.local.AddFlags(fs)
	if err := fs.Parse(args); err != nil {
		return usage.Told(stderr, fs, err, help)
	}
	j.task = strings.Join(fs.Args(), " ")
	s := &screen{Paper: paint.New(stdout)}
	switch {
	case j.local.Store != "" && j.room == "" && !j.serve:
		fmt.Fprintln(stderr, "agent: -store keeps rooms; -room or -serve says which")
		return exitUsage
	case j.serve && j.room == "" && j.task != "":
		fmt.Fprintln(stderr, "agent: -serve without -room serves every room; -room names the one that the task is for")
		return exitUsage
	case j.context < 0, j.context > 0 && j.room == "" && !j.serve:
		fmt.Fprintln(stderr, "agent: -context is a number of tokens, and goes with -room or -serve: a seat makes the checkpoints")
		return exitUsage
	case (j.room != "" || j.serve) && (j.steps < 1 || j.steps > 500):
		fmt.Fprintln(stderr, "agent: -steps is 1 to 500 in a room")
		return exitUsage
	}
	if fs.NArg() == 0 && j.room == "" && !j.serve {
		if fs.NFlag() > 0 {
			fmt.Fprintln(stderr, "agent: a task is missing; without any argument it demonstrates itself")
			return exitUsage
		}
		return j.demonstrate(ctx, s, stderr)
	}
	var err error
	if j.model, err = w.choose(getenv); err != nil {
		fmt.Fprintln(stderr, "agent:", err)
		return exitUsage
	}
	j.offerDesktop()
	if j.local.Access == arc.Safe {
		s.note("Safe: the agent reads and changes files here and runs no commands; -access full lets it.")
	}
	if j.room != "" || j.serve {
		return j.inRoom(ctx, s, stderr)
	}
	return j.do(ctx, s, stderr)
}

func failed(stderr io.Writer, err error) int {
	trouble.Tell(stderr, "agent", err)
	return exitNotDone
}

func help(fs *flag.FlagSet) {
	fmt.Fprint(fs.Output(), `usage: agent                     demonstrates itself: no key, no network
       agent [flags] TASK        works on the folder -dir
       agent -room NAME TASK     and goes on with the conversation of that room
       agent -room NAME          runs what waits for the seat, and -serve what comes
       agent -serve              runs what comes in every room

The model is the one that the environment names, or -provider of several:
  ANTHROPIC_API_KEY              Anthropic (ANTHROPIC_BASE_URL: another server)
  OPENAI_API_KEY                 OpenAI, in Responses
  OPENAI_BASE_URL and -model     any other server that speaks Chat Completions:
                                 http://localhost:11434/v1 is Ollama's
  GEMINI_API_KEY                 Google (GOOGLE_GEMINI_BASE_URL: another server)

`)
	fs.PrintDefaults()
}
