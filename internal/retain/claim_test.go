package retain_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/retain"
)

func TestAnOrphanIsClaimedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := open(t, dir, nil)
	const orphans = 30 // so that some are claimed in the same moment
	var ids []string
	for range orphans {
		e, f, err := gone.Create("x_", arc.Origin{Seat: "a"}, note{"begun"})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		ids = append(ids, e.ID)
	}
	if _, ok := open(t, dir, nil).Claim(ids[0]); ok {
		t.Error("an entry whose owner lives was claimed")
	}
	gone.Close()
	var claims atomic.Int32
	var claiming sync.WaitGroup
	begin := make(chan struct{})
	for range 8 {
		s := open(t, dir, nil)
		claiming.Go(func() {
			<-begin
			for _, id := range ids {
				if got, ok := s.Claim(id); ok {
					claims.Add(1)
					if got.Owner != s.Owner() || string(got.Data) != `{"text":"begun"}` {
						t.Errorf("it was claimed as %+v with %s", got, got.Data)
					}
				}
			}
		})
	}
	close(begin)
	claiming.Wait()
	if n := claims.Load(); n != orphans {
		t.Errorf("%d orphans were claimed %d times", orphans, n)
	}
}

func TestADisownedEntryMayBeClaimedBesideALivingStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir, nil), open(t, dir, nil)
	e, f, err := a.Create("x_", arc.Origin{Seat: "a"}, note{"begun"})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := a.Disown(e.ID, note{"yours"}); err != nil {
		t.Fatal(err)
	}
	got, ok := b.Claim(e.ID)
	if !ok || got.Owner != b.Owner() || got.Ended.IsZero() || string(got.Data) != `{"text":"yours"}` {
		t.Errorf("it was claimed %v as %+v", ok, got)
	}
	if _, ok := a.Claim(e.ID); ok {
		t.Error("it was claimed again")
	}
}

// Two stores that each count their own would keep twice as much.
func TestStoresOfOneDirectoryShareItsSize(t *testing.T) {
	t.Parallel()
	const most, slack = 3200, 3200 / 32
	dir := t.TempDir()
	o := &retain.Options{Bytes: most}
	a, b := open(t, dir, o), open(t, dir, o)
	begin := func(s *retain.Store) func(n int) bool {
		e, f, err := s.Create("x_", arc.Origin{Seat: "a"}, note{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return func(n int) bool {
			if !s.Grow(e.ID, int64(n)) {
				return false
			}
			if _, err := f.Write(make([]byte, n)); err != nil {
				t.Fatal(err)
			}
			return true
		}
	}
	of, other := begin(a), begin(b)
	total := 0
	for of(50) && other(50) {
		total += 100
	}
	if total < most-2*slack || total > most+2*slack {
		t.Errorf("both have %d bytes", total)
	}
}

func TestWhatAnotherStoreHasFinishedIsDroppedForRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := &retain.Options{Bytes: 1000}
	a, b := open(t, dir, o), open(t, dir, o)
	old := add(t, a, 400)
	turn := add(t, a, 400) // of the same turn, and so still named by it
	e, f, err := b.Create("x_", arc.Origin{Seat: "b"}, note{})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if b.Grow(e.ID, 600) {
		t.Error("an output that another store's turn may name was dropped")
	}
	later, f, err := a.Create("x_", arc.Origin{Seat: "a", Turn: "next"}, note{})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := a.Update(later.ID, note{}, true); err != nil {
		t.Fatal(err)
	}
	if !b.Grow(e.ID, 600) {
		t.Error("there is no room though the turn is over")
	}
	for id, want := range map[string]bool{old: true, turn: false} {
		if got, err := open(t, dir, o).Get(id); err != nil || got.Dropped != want {
			t.Errorf("%s is dropped: %+v, %v", id, got, err)
		}
	}
}
