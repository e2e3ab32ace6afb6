package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
)

// TestWhatAnotherProcessSettles: what its host clears and what it prunes is so in
// every process that has the project open.
func TestWhatAnotherProcessSettles(t *testing.T) {
	twin := func(p *project, o *Options) *project {
		q := &project{t: t, dir: p.dir, state: p.state}
		q.open(o)
		return q
	}
	t.Run("an ambiguous change", func(t *testing.T) {
		p := interrupted(t, func(p *project, tmp string) { p.put("f", "theirs") })
		q := twin(p, nil)
		if err := p.Resolve(ctx, p.status().Ambiguous[0].ChangeID, KeepCurrent); err != nil {
			t.Fatal(err)
		}
		q.create("g", "x")
	})
	t.Run("a damaged journal", func(t *testing.T) {
		p := newProject(t, nil)
		p.busy()
		p.Close()
		p.rewrite(p.segment(1), func(b []byte) []byte { b[len(b)-100] ^= 1; return b })
		p.open(nil)
		q := twin(p, nil)
		if err := p.AcceptJournal(ctx, "test"); err != nil {
			t.Fatal(err)
		}
		q.create("g", "x")
		if r := p.status(); r.Blocked {
			t.Errorf("status is %+v", r)
		}
	})
	t.Run("old changes, whose retention differs", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "0"})
		p.open(&Options{KeepChanges: 40})
		q := twin(p, &Options{KeepChanges: 100})
		n := 0
		count := func(w *project, to int) {
			for ; n < to; n++ {
				w.edit("f", fmt.Sprint(n), fmt.Sprint(n+1))
			}
		}
		count(q, 100)
		count(p, 112)
		if a, b := p.status().Journal, q.status().Journal; a != b || a.Changes > 60 {
			t.Errorf("one has %+v, the other %+v", a, b)
		}
		count(q, 152)
		p.open(nil)
		if r := p.status(); r.Blocked {
			t.Errorf("opened again: %+v", r)
		}
	})
	t.Run("damage behind what the opening pruned", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "0"})
		p.open(&Options{KeepChanges: 8})
		segments := map[int][]byte{}
		for n := range 40 {
			p.edit("f", fmt.Sprint(n), fmt.Sprint(n+1))
			for _, s := range p.journal.segs {
				b, err := os.ReadFile(p.segment(s.n))
				if err != nil {
					t.Fatal(err)
				}
				segments[s.n] = b
			}
		}
		// A crash came between the record of the last prune and the removal.
		gone := p.journal.pruned.Drop
		p.Close()
		if err := os.WriteFile(p.segment(gone), segments[gone], 0o600); err != nil {
			t.Fatal(err)
		}
		p.open(nil)
		if r := p.status(); r.Blocked || p.journal.segs[0].n != gone+1 {
			t.Fatalf("the first segment is %d, status %+v", p.journal.segs[0].n, r)
		}
		last := p.journal.segs[len(p.journal.segs)-1].n
		p.rewrite(p.segment(last), func(b []byte) []byte { return append(b, "junk\n"...) })
		if !p.status().Blocked {
			t.Fatal("the junk was not seen")
		}
		if err := p.AcceptJournal(ctx, "test"); err != nil {
			t.Fatal(err)
		}
		p.edit("f", "40", "41")
	})
}

func TestRetentionKeepsTheNewestAndTheChain(t *testing.T) {
	p := newProject(t, map[string]string{"f": "0"})
	o := &Options{KeepChanges: 20}
	p.open(o)
	var ids []string
	for i := range 100 {
		ids = append(ids, p.edit("f", fmt.Sprint(i), fmt.Sprint(i+1)).ChangeID)
	}
	check := func() {
		t.Helper()
		r := p.status()
		if r.Blocked || r.Journal.Changes < 20 || r.Journal.Changes > 30 {
			t.Fatalf("status is %+v", r)
		}
		_, err := p.Undo(ctx, by, UndoArgs{ids[0]})
		wantCode(t, err, arc.Expired)
	}
	check()
	p.open(o)
	check()
	for i := len(ids) - 1; i > len(ids)-5; i-- {
		p.undo(ids[i])
	}
	if p.get("f") != "96" {
		t.Errorf("file is %q", p.get("f"))
	}
	entries, err := os.ReadDir(filepath.Join(p.state, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > 12 {
		t.Errorf("%d files are left in the journal", len(entries))
	}
}

// TestAChangeIsNotKeptForLongerThanWasSaid: though the few that are made do not fill a
// segment.
func TestAChangeIsNotKeptForLongerThanWasSaid(t *testing.T) {
	const day = 24 * time.Hour
	p := newProject(t, map[string]string{"f": "0"})
	start, passed := time.Now(), time.Duration(0)
	open := func() {
		p.open(nil)
		p.journal.now = func() time.Time { return start.Add(passed) }
	}
	open()
	first := p.edit("f", "0", "1").ChangeID
	passed = 80 * day
	second := p.edit("f", "1", "2").ChangeID
	if h := p.status(); h.Journal.Changes != 2 {
		t.Fatalf("after 80 days the status is %+v", h)
	}
	open() // as the journal tells it
	passed = 102 * day
	p.edit("f", "2", "3")
	_, err := p.Undo(ctx, by, UndoArgs{first})
	wantCode(t, err, arc.Expired)
	if h := p.status(); h.Blocked || h.Journal.Changes != 2 {
		t.Errorf("after 102 days the status is %+v", h)
	}
	_, err = p.Undo(ctx, by, UndoArgs{second}) // it is known
	wantCode(t, err, ChangedSince)
}

// TestWhatAProcessBeganOfABlobGoes: it died while it wrote one, of a content that does
// not come again.
func TestWhatAProcessBeganOfABlobGoes(t *testing.T) {
	p := newProject(t, map[string]string{"f": "0"})
	p.open(&Options{KeepChanges: 4})
	h := hashOf([]byte("begun"))
	dir := filepath.Join(p.state, "journal", "blobs", blobFolder(h))
	begun := filepath.Join(dir, blobName(h)+".tmp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(begun, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		p.edit("f", fmt.Sprint(i), fmt.Sprint(i+1))
	}
	if _, err := os.Lstat(begun); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there after a prune: %v", err)
	}
	if r := p.status(); r.Blocked {
		t.Errorf("status is %+v", r)
	}
}

func TestCloseWaitsForAChange(t *testing.T) {
	p := newProject(t, nil)
	begun, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			if _, err := p.Write(ctx, by, WriteArgs{Path: fmt.Sprint(n), Content: "x"}); err != nil {
				break
			}
			if n == 0 {
				close(begun)
			}
		}
		done <- n
	}()
	<-begun
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	written := <-done
	p.noLeftovers()
	p.Workspace = nil
	p.open(nil)
	if r := p.status(); r.Status != "clean" || r.Journal.Changes != written {
		t.Errorf("after %d changes the status is %+v", written, r)
	}
}

func TestTwoProcessesOneWorkspace(t *testing.T) {
	p := newProject(t, map[string]string{"shared": "0"})
	q := &project{t: t, dir: p.dir, state: p.state}
	q.open(nil)
	var wg sync.WaitGroup
	for n, w := range []*project{p, q} {
		wg.Go(func() {
			for i := range 100 {
				if _, err := w.Write(ctx, arc.Origin{Seat: arc.SeatID(fmt.Sprint(n))}, WriteArgs{Path: fmt.Sprintf("w%d/f%d", n, i), Content: "x"}); err != nil {
					t.Error(err)
				}
				for { // count up together, by compare and swap
					b, err := os.ReadFile(p.path("shared"))
					if err != nil {
						t.Error(err)
						return
					}
					var v int
					fmt.Sscan(string(b), &v)
					_, err = w.Write(ctx, by, WriteArgs{Path: "shared", Content: fmt.Sprint(v + 1), ExpectedSHA256: string(hashOf(b))})
					if err == nil {
						break
					}
					var e *arc.Error
					if !errors.As(err, &e) || e.Code != arc.Stale {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if got := p.get("shared"); got != "200" {
		t.Errorf("counted to %s, want 200: an update was lost", got)
	}
	for _, w := range []*project{p, q} {
		r := w.status()
		if r.Status != "clean" || r.Journal.Changes != 400 {
			t.Errorf("status is %+v", r)
		}
	}
}

func TestALockedJournalIsNotWaitedForForever(t *testing.T) {
	p := newProject(t, nil)
	q := &project{t: t, dir: p.dir, state: p.state}
	q.open(nil)
	if ok, err := q.journal.lockFile.tryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	now := time.Now()
	p.journal.now = func() time.Time { now = now.Add(time.Second); return now } // so that the test need not wait
	_, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "x"})
	wantCode(t, err, arc.Locked)
	q.journal.lockFile.unlock()
	p.create("f", "x")
}

// TestASaverIsNeverOverwritten races an editor that saves the same file by
// renaming over it, and one that writes in place.
func TestASaverIsNeverOverwritten(t *testing.T) {
	p := newProject(t, map[string]string{"f": "start"})
	saved := make(chan string, 1<<16)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(saved)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			text := fmt.Sprintf("theirs %d", i)
			tmp := filepath.Join(p.state, "save")
			os.WriteFile(tmp, []byte(text), 0o644)
			os.Rename(tmp, p.path("f"))
			saved <- text
			time.Sleep(time.Duration(i%5) * time.Millisecond)
		}
	}()
	wins := 0
	for range 300 {
		b, err := os.ReadFile(p.path("f"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Write(ctx, by, WriteArgs{Path: "f", Content: "ours", ExpectedSHA256: string(hashOf(b))})
		var e *arc.Error
		switch {
		case err == nil:
			wins++
		case !errors.As(err, &e) || e.Code != arc.Stale && e.Code != NoChange:
			t.Fatal(err)
		}
	}
	close(stop)
	<-done
	// Each version that we replaced is one that we named, and the journal has it.
	theirs := map[SHA256]bool{hashOf([]byte("start")): true, hashOf([]byte("ours")): true}
	for s := range saved {
		theirs[hashOf([]byte(s))] = true
	}
	for _, c := range p.journal.changes {
		if c.end != typeCommit {
			continue
		}
		if !theirs[c.beforeHash()] {
			t.Errorf("%s replaced something that nobody saved", c.id)
		}
		if b, err := p.journal.before(c); err != nil || hashOf(b) != c.beforeHash() {
			t.Errorf("%s: what it replaced is not kept: %v", c.id, err)
		}
	}
	t.Logf("%d of 300 changes won the race", wins)
	p.noLeftovers()
}
