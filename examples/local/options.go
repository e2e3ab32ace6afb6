package local

import (
	"cmp"
	"flag"
	"fmt"
	"log/slog"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/tools/mcptool"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/workspace"
)

// Options are what a Host is made with; nil is fine.
type Options struct {
	// State is the directory of the journal and the spools, outside the project.
	// Default: a folder of the user's state directory, named by the project.
	State string

	// Access is what turns may do. Default: Safe.
	Access arc.Access

	// Mode is what turns are for. Default: Ordinary.
	Mode arc.Mode

	// ReadOnly withholds every change to files. A command can still make one.
	// Default: false.
	ReadOnly bool

	// Compact keeps the first list short, for small models. Default: false.
	Compact bool

	// Env is what commands get beside the usual: NAME=value, NAME for the
	// host's own value, or all for everything that the host has, its keys
	// included. Default: none.
	Env []string

	// Sandbox is what confines commands: LandlockSandbox; or a program and its arguments,
	// parted by blanks, that is put in front of the shell, as bubblewrap, and has to pass
	// on its open files. One that cannot be used here is an error of Open. Default:
	// NoSandbox: commands can do what the user can who runs the host. Services are never
	// confined.
	Sandbox string

	// Seats opens the store of the project's seats, seat.db in State, and adds the
	// tools with which a seat controls its turn. One process has it open at a time.
	// Default: false.
	Seats bool

	// Checks are commands that must succeed before a seat's run may finish; see
	// [Host.Check]. Default: none.
	Checks []string

	// Store is the URL of a PostgreSQL database that keeps the seats in place of the file,
	// for several machines; package seat/postgres says how. The seats of this project are
	// run where the project is. Default: the file.
	Store string

	// Docs are the limits of the tools for PDF files, and who is asked for the password
	// of one that needs it. Default: as docs.New has them.
	Docs *docs.Options

	// Engine reads PDF files, and is closed by its owner. Default: MuPDF, as package
	// fitz has it, in worker processes of which none is started before a file is
	// opened. Without cgo the tools are there, and answer with what is missing.
	Engine docs.Engine

	// Web is how pages are fetched and who is asked for them. Its Search is, unless
	// set, what the environment names; see Searchers. Its PDFText is, unless set, that
	// of Host.Docs. Default: as webtool.New has it.
	Web *webtool.Options

	// NoSearch withholds web_search, so that no query leaves the machine. Default:
	// false.
	NoSearch bool

	// Desktop is what turns with Full Access operate: AutoDesktop and the other words
	// beside it. Its model is taken for one that sees. Default: none.
	Desktop string

	// Screen is a desktop of the host's own in its place, closed with the Host.
	// Default: none.
	Screen computer.Desktop

	// Images is a directory to which all pictures are written that a model is given.
	// Default: none are.
	Images string

	// Services are MCP services of the operator's, attached by Open and ended by Close,
	// for turns with Full Access. A child's directory is the project unless it names one.
	// Default: none.
	Services []mcptool.Service

	// Stop, once it is closed, ends the wait for services that do not start: a program
	// gives it its context's Done. Default: each has its StartTimeout.
	Stop <-chan struct{}

	// Granted names the services that a seat may use, and is asked at each call; the
	// host's own turns have the seat "". A turn of Seats.Run shows the tools of all, and
	// refuses those that are not granted, unless its RunOptions.Env says less. Nil: all,
	// to every seat.
	Granted func(arc.SeatID) []string

	// Providers are further tools of the host's own. Default: none.
	Providers []arc.Provider

	// Logger hears what no result says. Default: discarded.
	Logger *slog.Logger
}

// Withheld names the tools that o withholds in the project in dir, whatever else a turn
// may do: those that change files with ReadOnly, the search with NoSearch, and the
// desktop where Desktop is NoDesktop. A host that was opened without o withholds them if they are in a turn's Env.Deny. Codes:
// those of [Open].
func (o *Options) Withheld(dir string) ([]string, error) {
	var names []string
	if o.ReadOnly {
		state, err := StateDir(dir, o)
		if err != nil {
			return nil, err
		}
		ws, err := workspace.Open(dir, &workspace.Options{State: state, ReadOnly: true})
		if err != nil {
			return nil, ofState(err)
		}
		defer ws.Close()
		names = ws.Denied()
	}
	if o.NoSearch {
		names = append(names, "web_search")
	}
	if o.Desktop == NoDesktop {
		names = append(names, "computer")
	}
	return names, nil
}

// AddFlags defines the flags that the programs share: -state, -access, -mode,
// -read-only, -compact, -no-search, -env, -sandbox, -desktop, -images and -service.
// Parsing fs sets the fields.
func (o *Options) AddFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.State, "state", o.State, "`directory` for the journal and command outputs (default: in the user's state directory)")
	choice(fs, "access", "files alone, or commands as well, unconfined unless -sandbox confines them", &o.Access,
		[2]named[arc.Access]{{"safe", arc.Safe}, {"full", arc.FullAccess}})
	choice(fs, "mode", "planning changes nothing", &o.Mode,
		[2]named[arc.Mode]{{"ordinary", arc.Ordinary}, {"planning", arc.Planning}})
	fs.BoolVar(&o.ReadOnly, "read-only", o.ReadOnly, "withhold the tools that change files")
	fs.BoolVar(&o.Compact, "compact", o.Compact, "keep the first list of tools short")
	fs.BoolVar(&o.NoSearch, "no-search", o.NoSearch, "withhold web_search; without a provider in the environment it asks Tavily, without a key")
	o.Desktop = cmp.Or(o.Desktop, AutoDesktop)
	fs.Func("desktop", fmt.Sprintf("`%s`: what full access operates, if the model sees (default %s)", strings.Join(desktops, "|"), o.Desktop), o.desktopFlag)
	fs.StringVar(&o.Images, "images", o.Images, "`directory` for the pictures that the model is given")
	fs.Func("service", "an MCP service for full access: `NAME=COMMAND`, or its URL; its tools are NAME__…; repeatable", o.serviceFlag)
	fs.StringVar(&o.Sandbox, "sandbox", cmp.Or(o.Sandbox, NoSandbox), "what confines commands: `none|landlock|PROGRAM ARGUMENTS`, the last in front of the shell, as bwrap")
	fs.Func("env", "what commands get beside the usual `variables`: NAME, NAME=value, or all; repeatable", func(s string) error {
		o.Env = append(o.Env, s)
		return nil
	})
}

// named is one word of a flag and what it stands for.
type named[T comparable] struct {
	word  string
	value T
}

// choice defines a flag of two words.
func choice[T comparable](fs *flag.FlagSet, name, usage string, to *T, words [2]named[T]) {
	def := words[0].word
	if *to == words[1].value {
		def = words[1].word
	}
	fs.Func(name, fmt.Sprintf("`%s|%s`: %s (default %s)", words[0].word, words[1].word, usage, def), func(s string) error {
		for _, w := range words {
			if w.word == s {
				*to = w.value
				return nil
			}
		}
		return fmt.Errorf("it is %s or %s", words[0].word, words[1].word)
	})
}
