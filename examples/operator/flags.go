package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arcseat/arc/examples/internal/usage"
)

// flags defines the flags.
func (r *request) flags() *flag.FlagSet {
	fs := usage.Flags("operator")
	fs.StringVar(&r.dir, "dir", ".", "the project's `folder`")
	fs.StringVar(&r.local.State, "state", "", "the state `directory` (default: in the user's state directory)")
	fs.StringVar(&r.local.Store, "store", "", "the `URL` of the PostgreSQL database that keeps the rooms (default: a file)")
	fs.StringVar(&r.room, "room", "", "the room's `name` (default: the only one)")
	fs.StringVar(&r.member, "member", "", "the `membership` of the seat, where the room has several")
	fs.StringVar(&r.by, "as", "operator", "the operator's `name` in the room")
	fs.BoolVar(&r.json, "json", false, "print the answer as JSON")
	fs.BoolVar(&r.dryRun, "dry-run", false, "retry, rewind: tell what would happen and what stays, and change nothing")
	fs.BoolVar(&r.dropQueued, "drop-queued", false, "retry, rewind: drop the turns that are queued")
	fs.BoolVar(&r.supersedeRequest, "supersede-request", false, "retry: make a stub of the request too, though the prompt stays")
	fs.Func("revision", "the `number` that you have read, refused if it has changed: for retry, rewind, edit-reply, exclude and restore\n"+
		"that of the history (context shows it), for approve and reject that of the plan", func(s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return errors.New("it is a number")
		}
		r.revision = &n
		return nil
	})
	fs.StringVar(&r.requestID, "request-id", "", "retry, rewind, edit-reply, exclude, restore: an `id` of yours, with which the same can be sent again and happens once")
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

// flagsOf are the flags of each verb, beside those that all have. What a verb does not
// know it must not pass over: a -dry-run that does nothing would act.
var flagsOf = map[string][]string{
	"context":    {"max-chars"},
	"status":     {"before", "limit"},
	"retry":      {"dry-run", "drop-queued", "supersede-request", "revision", "request-id", "origin-id", "source-message", "max-steps"},
	"rewind":     {"dry-run", "drop-queued", "revision", "request-id", "origin-id", "source-message", "max-steps"},
	"edit-reply": {"revision", "request-id"},
	"exclude":    {"revision", "request-id"},
	"restore":    {"revision", "request-id"},
	"approve":    {"revision"},
	"reject":     {"revision"},
	"task add":   {"parent"},
}

var flagsOfAll = []string{"dir", "state", "store", "room", "member", "as", "json"}

// strays says which flag the verb does not have, if one was given.
func (r *request) strays(fs *flag.FlagSet) (err error) {
	verb := r.words[0]
	if verb == "task" && len(r.words) > 1 {
		verb += " " + r.words[1]
	}
	fs.Visit(func(f *flag.Flag) {
		if err != nil || slices.Contains(flagsOfAll, f.Name) || slices.Contains(flagsOf[verb], f.Name) {
			return
		}
		var others []string
		for _, v := range slices.Sorted(maps.Keys(flagsOf)) {
			if slices.Contains(flagsOf[v], f.Name) {
				others = append(others, v)
			}
		}
		err = fmt.Errorf("%s has no -%s; it is for %s", verb, f.Name, strings.Join(others, ", "))
	})
	return err
}

// wrong says what is wrong with the words, if something is.
func (r *request) wrong() error {
	verbs := strings.Join(slices.Sorted(maps.Keys(commands)), ", ")
	if len(r.words) == 0 {
		return errors.New("a verb is missing: " + verbs)
	}
	c, known := commands[r.words[0]]
	given := len(r.words) - 1
	switch {
	case !known:
		return fmt.Errorf("there is no verb %q; there are %s", r.words[0], verbs)
	case given < c.least:
		return fmt.Errorf("%s wants %s", r.words[0], c.wants)
	case given > c.most && c.wants == "":
		return fmt.Errorf("%s takes no words, and %q is one; flags begin with -", r.words[0], r.words[1])
	case given > c.most:
		return fmt.Errorf("%s takes %s, and %q is too much; quote a text of several words", r.words[0], c.wants, r.words[c.most+1])
	case r.words[0] == "task" && (given == 1 || given == 2 && !slices.Contains([]string{"add", "done", "cancel"}, r.words[1])):
		return errors.New("say task, task add TEXT, task done ID or task cancel ID")
	}
	return nil
}

func help(fs *flag.FlagSet) {
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
Exit code: 0, 1 when the verb was refused or could not be done, 2 for wrong use.

`)
	fs.PrintDefaults()
}
