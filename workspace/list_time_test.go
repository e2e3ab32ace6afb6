package workspace

import (
	"context"
	"testing"
)

func TestAListThatRunsOutOfTimeKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a": "", "d/b": "", "e/c": ""})
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	p.root = lateFolder{p.root, cancel}
	l, err := p.listingIn(ctx, timed, listKey{".", true}, maxWalk)
	if err != nil {
		t.Fatal(err)
	}
	var r ListResult
	r.page(l, 0, listLimit)
	if r.Count < 1 || r.Entries[0] != "a" || !r.Truncated || r.TotalExact == nil {
		t.Errorf("result is %+v", r)
	}
	if _, err := p.listingIn(timed, timed, listKey{".", true}, maxWalk); err == nil {
		t.Error("a call that has ended got a list")
	}
}

// A lateFolder is one whose directory d is reached when the time is up.
type lateFolder struct {
	folder
	upon func()
}

func (f lateFolder) openDir(name string) (folder, error) {
	if name == "d" {
		f.upon()
	}
	return f.folder.openDir(name)
}
