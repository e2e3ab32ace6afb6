package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/workspace"
)

// A Host has the tools of one project folder open. The families are there to be
// used from Go as well; Close closes them.
type Host struct {
	Workspace *workspace.Workspace
	Shell     *shell.Shell

	env       arc.Env
	providers []arc.Provider
	notices   inbox
}

// Open opens the project in dir.
func Open(dir string, o *Options) (*Host, error) {
	if o == nil {
		o = &Options{}
	}
	h := &Host{env: arc.Env{
		Access:  o.Access,
		Mode:    o.Mode,
		Project: true,
		Model:   arc.Model{Compact: o.Compact},
	}}
	var err error
	if h.Workspace, err = workspace.Open(dir, &workspace.Options{State: o.State, ReadOnly: o.ReadOnly, Logger: o.Logger}); err != nil {
		return nil, err
	}
	h.Shell, err = shell.Open(dir, &shell.Options{
		State:      o.State,
		Notify:     func(n shell.Notice) { h.notices.put(n.Origin.Seat, n.Text) },
		Env:        slices.DeleteFunc(slices.Clone(o.Env), func(s string) bool { return s == "all" }),
		InheritAll: slices.Contains(o.Env, "all"),
		Logger:     o.Logger,
	})
	if err != nil {
		return nil, errors.Join(err, h.Workspace.Close())
	}
	h.env.Deny = h.Workspace.Denied()
	h.providers = append([]arc.Provider{h.Workspace, h.Shell}, o.Providers...)
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
	return arc.Turn{Env: h.env, Origin: o}
}

// Set joins the providers. Beside the middleware of o, which is nearer to the
// screen, there is one that hands over what ended in the background.
func (h *Host) Set(o *tools.Options) (*tools.Set, error) {
	o = cmp.Or(o, &tools.Options{})
	with := *o
	with.Middleware = append(slices.Clone(o.Middleware), h.notices.deliver)
	return tools.NewSet(h.providers, &with)
}

// Close ends what runs in the background and closes the families. The error is
// ctx's if it ended before all was tidy.
func (h *Host) Close(ctx context.Context) error {
	return errors.Join(h.Shell.Close(ctx), h.Workspace.Close())
}
