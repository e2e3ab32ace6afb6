package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
)

// flags defines the flags.
func (r *request) flags(stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("operator", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { usage(fs) }
	fs.StringVar(&r.dir, "dir", ".", "the project's `folder`")
	fs.StringVar(&r.local.State, "state", "", "the state `directory` (default: in the user's state directory)")
	fs.StringVar(&r.room, "room", "", "the room's `name` (default: the only one)")
	fs.StringVar(&r.member, "member", "", "the `membership` of the seat, where the room has several")
	fs.StringVar(&r.by, "as", "operator", "the operator's `name` in the room")
	fs.BoolVar(&r.json, "json", false, "print the answer as JSON")
	fs.BoolVar(&r.dryRun, "dry-run", false, "retry, rewind: tell what would happen and what stays, and change nothing")
	fs.BoolVar(&r.dropQueued, "drop-queued", false, "retry, rewind: drop the turns that are queued")
	fs.BoolVar(&r.supersedeRequest, "supersede-request", false, "retry: make a stub of the request too, though the prompt stays")
	fs.Int64Var(&r.revision, "revision", -1, "the `history_revision` that you have read; refused if it has changed")
	fs.StringVar(&r.requestID, "request-id", "", "an `id` of yours, with which the same can be sent again and happens once")
	fs.StringVar(&r.originID, "origin-id", "", "retry, rewind: the delivery `key` of the new turn")
	fs.Int64Var(&r.source, "source-message", 0, "retry, rewind: the `id` of a message that carries the new prompt")
	fs.IntVar(&r.maxSteps, "max-steps", 0, "retry, rewind: `requests` from one checkpoint to the next")
	fs.IntVar(&r.maxChars, "max-chars", 0, "context: another budget, in `characters`")
	fs.StringVar(&r.before, "before", "", "status: the turns before this `turn`")
	fs.IntVar(&r.limit, "limit", 0, "status: how `many` turns")
	fs.Int64Var(&r.parent, "parent", 0, "task add: the `task` that it is a part of")
	return fs
}

// parse takes the flags and the words out of args, in whatever order they stand.
// What follows a -- is words.
func (r *request) parse(fs *flag.FlagSet, args []string) error {
	var after []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, after = args[:i], args[i+1:]
	}
	for {
		if err := fs.Parse(args); err != nil {
			return err
		}
		if fs.NArg() == 0 {
			break
		}
		r.words = append(r.words, fs.Arg(0))
		args = fs.Args()[1:]
	}
	r.words = append(r.words, after...)
	return nil
}

func usage(fs *flag.FlagSet) {
	fmt.Fprint(fs.Output(), `usage: operator [flags] VERB …

  context                      what the seat's next turn remembers
  status                       how the seat stands, and its turns
  retry TURN [PROMPT | -]      forget the last exchange and run it again
  rewind TURN [PROMPT | -]     forget an exchange and all after it, and go on
  edit-reply TURN TEXT | -     rewrite what the seat remembers having said
  exclude TURN, restore TURN   take an exchange out of what is remembered, or back
  plan                         the newest plan
  approve PLAN, reject PLAN    decide on it
  task                         the room's tasks
  task add TEXT | -            add one
  task done ID, task cancel ID end one
  stop                         end the turn that runs

TURN is an id, a number, or last.
Exit code: 0, 1 when the verb was refused, 2 for wrong use.

`)
	fs.PrintDefaults()
}
