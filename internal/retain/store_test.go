package retain_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/retain"
)

type note struct {
	Text string `json:"text"`
}

func open(t *testing.T, dir string, o *retain.Options) *retain.Store {
	t.Helper()
	s, err := retain.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// add makes an entry of n bytes and finishes it.
func add(t *testing.T, s *retain.Store, n int) string {
	t.Helper()
	e, f, err := s.Create("x_", arc.Origin{Seat: "a", Turn: "t", Call: "c"}, note{"begun"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !s.Grow(e.ID, int64(n)) {
		t.Fatalf("no room for %d bytes", n)
	}
	if _, err := f.WriteString(strings.Repeat("z", n)); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(e.ID, note{"ended"}, true); err != nil {
		t.Fatal(err)
	}
	return e.ID
}

func TestAnEntryOutlivesItsStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, nil)
	id := add(t, s, 5)
	s.Close()
	e, err := open(t, dir, nil).Get(id)
	if err != nil {
		t.Fatal(err)
	}
	if e.Origin != (arc.Origin{Seat: "a", Turn: "t", Call: "c"}) || string(e.Data) != `{"text":"ended"}` || e.Bytes != 5 || e.Ended.IsZero() {
		t.Errorf("it came back as %+v with %s", e, e.Data)
	}
}

func TestTwoStoresOfOneDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir, nil), open(t, dir, nil)
	e, f, err := a.Create("x_", arc.Origin{}, note{"begun"})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	seen, err := b.Get(e.ID)
	if err != nil || b.Orphaned(seen) {
		t.Errorf("beside its living owner: %v, orphaned %v", err, b.Orphaned(seen))
	}
	if err := a.Update(e.ID, note{"ended"}, true); err != nil {
		t.Fatal(err)
	}
	if seen, err = b.Get(e.ID); err != nil || seen.Ended.IsZero() || string(seen.Data) != `{"text":"ended"}` {
		t.Errorf("the end reached the other store as %+v, %v", seen, err)
	}
}

func TestAnOrphanIsAdopted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, nil)
	e, f, err := a.Create("x_", arc.Origin{}, note{"begun"})
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("four")
	f.Close()
	a.Close() // as when the process ends
	b := open(t, dir, nil)
	if seen, err := b.Get(e.ID); err != nil || !b.Orphaned(seen) {
		t.Fatalf("%v, orphaned %v", err, b.Orphaned(seen))
	}
	if err := b.Adopt(e.ID, note{"lost"}); err != nil {
		t.Fatal(err)
	}
	seen, err := open(t, dir, nil).Get(e.ID)
	if err != nil || seen.Ended.IsZero() || seen.Bytes != 4 || string(seen.Data) != `{"text":"lost"}` {
		t.Errorf("adopted, it is %+v, %v", seen, err)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	t.Run("drops the oldest that is finished", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), &retain.Options{Bytes: 100})
		first, second, third := add(t, s, 40), add(t, s, 40), add(t, s, 40)
		for id, dropped := range map[string]bool{first: true, second: false, third: false} {
			if e, err := s.Get(id); err != nil || e.Dropped != dropped {
				t.Errorf("%s: dropped %v, want %v", id, e.Dropped, dropped)
			}
			if _, err := os.Stat(s.Path(id)); os.IsNotExist(err) != dropped {
				t.Errorf("the file of %s: %v", id, err)
			}
		}
	})
	t.Run("never drops what is kept or written, and says no instead", func(t *testing.T) {
		t.Parallel()
		var kept string
		s := open(t, t.TempDir(), &retain.Options{Bytes: 100, Keep: func(e *retain.Entry) bool { return e.ID == kept }})
		kept = add(t, s, 40)
		e, f, err := s.Create("x_", arc.Origin{}, note{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if !s.Grow(e.ID, 60) || s.Grow(e.ID, 1) {
			t.Error("60 bytes should fit and no more")
		}
	})
}

func TestAge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := &retain.Options{Age: time.Hour, Now: func() time.Time { return now }}
	id := add(t, open(t, dir, o), 5)
	now = now.Add(61 * time.Minute)
	if e, err := open(t, dir, o).Get(id); err != nil || !e.Dropped {
		t.Errorf("past its age: %+v, %v", e, err)
	}
	now = now.Add(7 * time.Hour)
	if _, err := open(t, dir, o).Get(id); !errors.Is(err, retain.ErrUnknown) {
		t.Errorf("long after: %v", err)
	}
}

func TestAStoreThatStaysOpenDropsWhatIsPastItsAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := open(t, t.TempDir(), &retain.Options{Age: time.Hour, Now: func() time.Time { return now }})
	id := add(t, s, 5)
	now = now.Add(61 * time.Minute)
	add(t, s, 5)
	if e, err := s.Get(id); err != nil || !e.Dropped {
		t.Errorf("past its age: %+v, %v", e, err)
	}
	now = now.Add(7 * time.Hour)
	add(t, s, 5)
	if _, err := s.Get(id); !errors.Is(err, retain.ErrUnknown) {
		t.Errorf("long after: %v", err)
	}
}

func TestAnIdIsNoPath(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	for _, id := range []string{"", "../x", "a/b", `a\b`, "x.json", "x_none"} {
		if _, err := s.Get(id); !errors.Is(err, retain.ErrUnknown) {
			t.Errorf("Get(%q): %v", id, err)
		}
	}
}

func TestABrokenRecordIsPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, nil)
	if err := os.WriteFile(s.Path("x_bad.json"), []byte(`{"id":`), 0o600); err != nil {
		t.Fatal(err)
	}
	id := add(t, s, 1)
	all := open(t, dir, nil).All()
	if len(all) != 1 || all[0].ID != id {
		t.Errorf("found %d entries", len(all))
	}
}

func TestAFileWithoutARecordIsRemovedPastTheAge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, nil)
	kept := add(t, s, 1)
	old := time.Now().Add(-2 * retain.DefaultAge)
	for _, name := range []string{"x_lost", "x_lost.json-gone", "x_broken", "x_broken.json", "x_new"} {
		if err := os.WriteFile(s.Path(name), []byte("z"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"x_lost", "x_lost.json-gone", "x_broken", "x_broken.json", kept, kept + ".json"} {
		if err := os.Chtimes(s.Path(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir, nil)
	for name, want := range map[string]bool{
		"x_lost": false, "x_lost.json-gone": false, "x_new": true, "x_broken": true, "x_broken.json": true, kept: true, kept + ".json": true,
	} {
		if _, err := os.Lstat(s.Path(name)); (err == nil) != want {
			t.Errorf("%s is there: %t", name, err == nil)
		}
	}
}

// A host that is killed, or a disk that is full, may leave half of a line.
func TestARecordIsItsLastWholeLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, nil)
	id := add(t, s, 1)
	half := func(text string) {
		t.Helper()
		f, err := os.OpenFile(s.Path(id+".json"), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		e, err := open(t, dir, nil).Get(id)
		if err != nil || string(e.Data) != want {
			t.Fatalf("it reads as %+v, %v, want %s", e, err, want)
		}
	}
	check(`{"text":"ended"}`)
	half("\n" + `{"id":"` + id + `","data":{"text":"ha`)
	check(`{"text":"ended"}`)
	if err := s.Update(id, note{"later"}, true); err != nil {
		t.Fatal(err)
	}
	check(`{"text":"later"}`)
	half("\x00\x00\x00\n\n")
	check(`{"text":"later"}`)
	half(strings.Repeat("\n"+`{"id":"`+id+`","data":{"text":"old"}}`, 40_000)) // more than anybody reads
	if err := s.Update(id, note{"last"}, true); err != nil {
		t.Fatal(err)
	}
	check(`{"text":"last"}`)
	half("\n" + `{"id":"x_other","data":{"text":"another's"}}`)
	if e, err := open(t, dir, nil).Get(id); err == nil {
		t.Errorf("a record that names another reads as %+v", e)
	}
}

func TestALockThatAKilledStoreHasLeftIsRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := open(t, dir, nil)
	left := one.Path("owner-gone")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if gone := open(t, dir, nil).Gone(); !slices.Equal(gone, []string{"gone"}) {
		t.Errorf("gone are %q", gone)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
	if _, err := os.Stat(one.Path("owner-" + one.Owner())); err != nil {
		t.Errorf("that of one that lives is gone: %v", err)
	}
}

// TestAnIdLeadsNowhereElse: ids come from models. Each record here would be taken for one
// of the store's if it were reached.
func TestAnIdLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "store")
	s := open(t, dir, nil)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, id := range map[string]string{
		filepath.Join(parent, "out.json"):      "../out",
		filepath.Join(dir, "sub", "in.json"):   "sub/in",
		filepath.Join(dir, "dotted.name.json"): "dotted.name",
		filepath.Join(dir, ".json"):            "",
	} {
		record, err := json.Marshal(retain.Entry{ID: id, Owner: "gone", Ended: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(record, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		if e, err := s.Get(id); !errors.Is(err, retain.ErrUnknown) {
			t.Errorf("%q is %+v, %v", id, e, err)
		}
	}
}

func TestAnEntryWhoseFileIsNotMadeIsForgotten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s := open(t, dir, nil)
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("a file that is open stays here: ", err)
	}
	if _, _, err := s.Create("x_", arc.Origin{}, note{"begun"}); err == nil {
		t.Fatal("it was made")
	}
	if all := s.All(); len(all) != 0 {
		t.Errorf("there are %+v", all)
	}
}
