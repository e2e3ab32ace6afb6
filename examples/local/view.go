package local

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/sqlite"
	"github.com/arcseat/arc/shell"
	"github.com/arcseat/arc/workspace"
)

// A View reads the seats of a project and changes nothing of it: beside the process that
// owns them, and also where the disk is full or cannot be written.
type View struct {
	Seats *seat.Service // every change is refused, unless Share has opened it

	dir, state string
	store      *seat.DB
	records    func() (*shell.Records, error)
}

// Look opens the seats of the project in dir to be read. The caller closes the view.
// Codes: those of [Open]; not_found also where no seat was ever run.
func Look(dir string, o *Options) (*View, error) {
	if o == nil {
		o = &Options{}
	}
	return view(dir, o, func(state string) (*seat.DB, error) {
		if o.Store != "" {
			return postgres.Open(context.Background(), o.Store, &postgres.Options{ReadOnly: true, Logger: o.Logger})
		}
		return sqlite.Open(filepath.Join(state, storeFile), &sqlite.Options{ReadOnly: true})
	})
}

// Share opens the seats on the server that o.Store names, to be changed beside all others who
// have them open. What turns have left in the project is only read. Codes: those of [Open].
func Share(dir string, o *Options) (*View, error) {
	return view(dir, o, func(string) (*seat.DB, error) {
		return postgres.Open(context.Background(), o.Store, &postgres.Options{Logger: o.Logger})
	})
}

func view(dir string, o *Options, open func(state string) (*seat.DB, error)) (*View, error) {
	if err := lookAt(dir); err != nil {
		return nil, err
	}
	state, err := StateDir(dir, o)
	if err != nil {
		return nil, err
	}
	v := &View{dir: dir, state: state, records: sync.OnceValues(func() (*shell.Records, error) { return shell.ReadRecords(state) })}
	if v.store, err = open(state); err != nil {
		return nil, ofState(err)
	}
	if v.Seats, err = seat.Open(context.Background(), v.store, &seat.Options{Logger: o.Logger}); err != nil {
		v.store.Close()
		return nil, ofState(err)
	}
	return v, nil
}

// Close closes the store.
func (v *View) Close() error { return v.store.Close() }

// Operator is an operator of these seats, as [Host.Operator]. What cannot be read of
// the project or of the shell is told as not known.
func (v *View) Operator(name string) seat.Operator {
	return seat.Operator{Name: name, Jobs: v, Reporters: []seat.Reporter{
		{Name: "workspace", Touched: v.changed},
		{Name: "shell", Touched: v.ran},
	}}
}

// changed tells what turns changed in the project, which is open for as long as that
// takes.
func (v *View) changed(ctx context.Context, id arc.SeatID, turns []arc.TurnID) ([]arc.Touch, error) {
	ws, err := workspace.Open(v.dir, &workspace.Options{State: v.state, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	return ws.Touched(ctx, id, turns)
}

func (v *View) ran(ctx context.Context, id arc.SeatID, turns []arc.TurnID) ([]arc.Touch, error) {
	r, err := v.records()
	if err != nil {
		return nil, err
	}
	return r.Touched(ctx, id, turns)
}

// JobStatus tells of a job as far as the records do.
func (v *View) JobStatus(ctx context.Context, id arc.SeatID, job string) (status string, ended bool, err error) {
	r, err := v.records()
	if err != nil {
		return "", false, err
	}
	return r.JobStatus(ctx, id, job)
}
