package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/workspace"
)

// A Host has the tools of one project folder open. The families are there to be
// used from Go as well; Close closes them.
type Host struct {
	Workspace *workspace.Workspace // the folder's files
	Shell     *shell.Shell         // commands in it
	Docs      *docs.Library        // its PDF files
	Web       *webtool.Web         // pages and search
	Computer  *computer.Computer   // nil where there is no desktop
	Seats     *seat.Service        // nil unless Options.Seats
	Services  *mcptool.Services    // nil unless Options.Services
	State     string               // the state directory

	env       arc.Env
	providers []arc.Provider
	notices   inbox
	store     *seat.DB
	album     *album // nil unless Options.Images
	engine    *late  // nil: the host's own
	dir       string
	granted   func(arc.SeatID) []string // nil: all services to every seat
	checks    []string                  // commands that must succeed before a run may finish
	log       *slog.Logger

	landlock   *shell.LandlockRunner // nil: no such sandbox
	desktopEnv []string              // what commands need to show something on the desktop
}

// Open opens the project in dir. Codes: not_found, not_a_directory,
// permission_denied, no_space, io_error, locked, invalid_arguments,
// sandbox_unavailable, and those of a store of seats; a message has no path but dir, and
// what Options.Sandbox says.
func Open(dir string, o *Options) (*Host, error) {
	if o == nil {
		o = &Options{}
	}
	h := &Host{env: arc.Env{
		Access:  o.Access,
		Mode:    o.Mode,
		Project: true,
		Model:   arc.Model{Compact: o.Compact},
	}, checks: o.Checks, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler))}
	err := lookAt(dir)
	if err != nil {
		return nil, err
	}
	if h.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if h.State, err = StateDir(dir, o); err != nil {
		return nil, err
	}
	if h.Workspace, err = workspace.Open(dir, &workspace.Options{State: h.State, ReadOnly: o.ReadOnly, PDFTool: "workspace_document_inspect", Logger: o.Logger}); err != nil {
		return nil, ofState(err)
	}
	if o.Seats { // before the shell, which may have to tell of jobs that a crash has ended
		if err := h.openSeats(dir, h.State, o); err != nil {
			return nil, errors.Join(err, h.Close(context.Background()))
		}
	}
	if err := h.openDesktop(o); err != nil {
		return nil, errors.Join(err, h.Close(context.Background()))
	}
	if o.Images != "" {
		if h.album, err = newAlbum(o.Images, h.log); err != nil {
			return nil, errors.Join(err, h.Close(context.Background()))
		}
	}
	runner, sandboxEnv, err := h.openSandbox(dir, o)
	if err != nil {
		return nil, errors.Join(err, h.Close(context.Background()))
	}
	env := append(sandboxEnv, slices.DeleteFunc(slices.Clone(o.Env), func(s string) bool { return s == "all" })...)
	if err := h.openServices(o); err != nil {
		return nil, errors.Join(err, h.Close(context.Background()))
	}
	h.Shell, err = shell.Open(dir, &shell.Options{
		State:      h.State,
		Notify:     h.notify,
		Reaches:    func(id arc.SeatID) bool { return id == "" || h.Seats != nil }, // else its seat's next host tells it
		Env:        append(env, h.desktopEnv...),
		Runner:     runner,
		InheritAll: slices.Contains(o.Env, "all"),
		Logger:     o.Logger,
	})
	if err != nil {
		return nil, errors.Join(ofState(err), h.Close(context.Background()))
	}
	h.openDocs(o)
	h.openWeb(o)
	h.env.Deny = h.Workspace.Denied()
	h.providers = []arc.Provider{h.Workspace, h.Shell, h.Docs, h.Web}
	if o.Seats {
		h.providers = append(h.providers, seat.Tools())
	}
	h.providers = append(h.providers, h.desktopTools()...)
	h.providers = append(h.providers, h.serviceTools()...)
	h.providers = append(h.providers, o.Providers...)
	return h, nil
}

// Providers are the tools, the host's own last.
func (h *Host) Providers() []arc.Provider { return slices.Clone(h.providers) }

// Turn is a turn of this host's Env. If o does not name it, it gets an id of its
// own, so that the history can tell one turn's changes from another's.
func (h *Host) Turn(o arc.Origin) arc.Turn {
	if o.Turn == "" {
		o.Turn = arc.TurnID("turn_" + strings.ToLower(rand.Text()[:12]))
	}
	return arc.Turn{Env: h.grants(h.env, o.Seat), Origin: o}
}

// Set joins the providers. Beside the middleware of o, which is nearer to the
// screen, there is one that hands over what ended in the background.
func (h *Host) Set(o *tools.Options) (*tools.Set, error) {
	o = cmp.Or(o, &tools.Options{})
	with := *o
	with.Middleware = append(slices.Clone(o.Middleware), h.notices.deliver)
	h.recheck(&with)
	if h.album != nil {
		with.Middleware = append(with.Middleware, h.album.keep)
	}
	return tools.NewSet(h.providers, &with)
}

// Close ends what runs in the background and closes the families. The error is
// ctx's if it ended before all was tidy.
func (h *Host) Close(ctx context.Context) error {
	var err error
	if h.Shell != nil {
		err = h.Shell.Close(ctx) // its last notices are for the seats
	}
	if h.landlock != nil {
		err = errors.Join(err, h.landlock.Close())
	}
	err = errors.Join(err, h.closeDesktop(ctx), h.closeServices(ctx))
	if h.Web != nil {
		err = errors.Join(err, h.Web.Close())
	}
	if h.Docs != nil {
		err = errors.Join(err, h.Docs.Close())
	}
	if h.engine != nil {
		err = errors.Join(err, h.engine.Close())
	}
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return errors.Join(err, h.Workspace.Close())
}
