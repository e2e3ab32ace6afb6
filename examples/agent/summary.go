package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/workspace"
)

// A tally remembers where the project's history stood, so that the summary can
// tell what this run has changed.
type tally struct {
	ws     *workspace.Workspace
	newest string // id of the newest change before the run; empty: there was none
}

func newTally(ctx context.Context, ws *workspace.Workspace) (*tally, error) {
	h, err := ws.History(ctx, workspace.HistoryArgs{Limit: 1})
	if err != nil {
		return nil, err
	}
	t := &tally{ws: ws}
	if len(h.Changes) > 0 {
		t.newest = h.Changes[0].ChangeID
	}
	return t, nil
}

// undoable are the changes of this run that can be undone as things stand,
// newest first: the newest few hundred, of more.
func (t *tally) undoable(ctx context.Context) ([]workspace.HistoryEntry, error) {
	h, err := t.ws.History(ctx, workspace.HistoryArgs{Limit: 500})
	if err != nil {
		return nil, err
	}
	run := h.Changes
	if i := slices.IndexFunc(run, func(c workspace.HistoryEntry) bool { return c.ChangeID == t.newest }); i >= 0 {
		run = run[:i]
	}
	undoes := map[string]string{}
	for _, c := range run {
		undoes[c.ChangeID] = c.UndoOf
	}
	// An undo of an undo brings a change back that is in the list already.
	return slices.DeleteFunc(run, func(c workspace.HistoryEntry) bool { return !c.Undoable || undoes[c.UndoOf] != "" }), nil
}

// sum shows what the run came to.
func (t *tally) sum(ctx context.Context, s *screen, m *model, last string) error {
	// Also after Ctrl-C somebody wants to know what has changed.
	undoable, err := t.undoable(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	s.heading(last)
	s.note("%s, %s", paint.Count(s.called(), "call"), m.cost())
	if len(undoable) == 0 {
		s.note("no changes")
	} else {
		s.note("%s can be undone:", paint.Count(len(undoable), "change"))
	}
	for _, c := range undoable {
		s.note("  %s  %s %s  +%d −%d", c.ChangeID, c.Op, c.Path, c.Added, c.Removed)
	}
	return nil
}

// cost is what the run's requests came to: in tokens, of which those that the provider
// had kept cost a fraction, or in bytes where the server does not count.
func (m *model) cost() string {
	requests := paint.Count(m.requests, "request")
	if m.spent.Input == 0 {
		return fmt.Sprintf("%s: %s bytes to the model and %s from it", requests, amount(m.at.sent), amount(m.at.received))
	}
	return fmt.Sprintf("%s: %s tokens in, %s of them cached, %s out", requests, amount(m.spent.Input), amount(m.spent.Cached), amount(m.spent.Output))
}

// amount is a number to a person: 640, 4.1k, 12.3M.
func amount(n int) string {
	f, unit := float64(n), ""
	for _, next := range []string{"k", "M", "G"} {
		if f < 1000 {
			break
		}
		f, unit = f/1000, next
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + unit
}
