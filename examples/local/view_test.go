package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
)

// What is looked at is what the owner has, and nothing of it can be changed.
func TestAViewBesideTheOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "..", "state")
	if _, err := local.Look(dir, &local.Options{State: state}); !errors.Is(err, arc.NotFound) {
		t.Errorf("there is nothing to look at: %v", err)
	}
	if local.SeatsOwned(state) {
		t.Error("a store that is not there is owned")
	}
	host, err := local.Open(dir, &local.Options{State: state, Seats: true})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(t.Context())
	act(t, host, call("workspace_write", `{"path":"a.txt","content":"a"}`))
	if !local.SeatsOwned(state) {
		t.Error("the owner is not seen")
	}
	view, err := local.Look(dir, &local.Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	args := seat.ContextArgs{Ref: seat.Ref{RunID: "demo"}}
	theirs, err := host.Seats.Context(t.Context(), host.Operator(""), args)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := view.Seats.Context(t.Context(), view.Operator(""), args)
	if err != nil || len(ours.Entries) != 1 || ours.Entries[0] != theirs.Entries[0] || ours.HistoryRevision != theirs.HistoryRevision {
		t.Errorf("the owner has %+v, the view %+v, %v", theirs, ours, err)
	}
	last := string(ours.LastTurnID)
	_, dry, err := view.Seats.Retry(t.Context(), view.Operator(""), seat.RetryArgs{Ref: args.Ref, TurnID: last, DryRun: true})
	if err != nil || !dry.Complete || len(dry.Stays.Files) != 1 || !dry.Stays.Files[0].Undoable {
		t.Errorf("the dry run is %+v, %v", dry, err)
	}
	if _, _, err := view.Seats.Retry(t.Context(), view.Operator(""), seat.RetryArgs{Ref: args.Ref, TurnID: last}); !errors.Is(err, seat.StoreUnavailable) {
		t.Errorf("a view changes something: %v", err)
	}
}

// What cannot be opened is told as a code and a sentence, with no path but the one that
// was given.
func TestTroubleWithOpening(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir, state string
		want       string
	}{
		"a folder that is not there":     {filepath.Join(dir, "none"), t.TempDir(), "not_found: there is no folder "},
		"a file":                         {file, t.TempDir(), "not_a_directory: "},
		"a state directory below a file": {dir, filepath.Join(file, "state"), "io_error: the state directory cannot be used; look at its disk, or name another one with -state."},
		"a state directory that is one":  {dir, file, "io_error: the state directory cannot be used; look at its disk, or name another one with -state."},
		"the project itself":             {dir, dir, "invalid_arguments: the state directory is the project itself; name one outside of it."},
	} {
		_, err := local.Open(tt.dir, &local.Options{State: tt.state, Seats: true})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), tt.state) && tt.state != tt.dir {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}
