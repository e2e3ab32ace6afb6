package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
)

func (p *project) segment(n int) string { return filepath.Join(p.state, "journal", segmentName(n)) }

func (p *project) status() *RecoveryResult {
	p.t.Helper()
	r, err := p.RecoveryStatus(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// busy makes a journal with changes of every kind.
func (p *project) busy() {
	p.put("f", "one\ntwo\n")
	p.put("big", strings.Repeat("line\n", 40_000))
	p.edit("f", "one", "1")
	p.undo(p.create("new", "x").ChangeID)
	p.undo(p.edit("f", "two", "2").ChangeID)
	_, err := p.Write(ctx, by, WriteArgs{Path: "big", Content: "small", ExpectedSHA256: p.hash("big")})
	if err != nil {
		p.t.Fatal(err)
	}
	p.edit("f", "1", "eins")
}

func TestADamagedJournalBlocksAndIsReported(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, p *project)
	}{
		{"a byte flipped in the middle", func(t *testing.T, p *project) {
			p.rewrite(p.segment(1), func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		}},
		{"a line removed", lines(func(l []string) []string { return slices.Delete(l, 3, 4) })},
		{"a line doubled", lines(func(l []string) []string { return slices.Insert(l, 3, l[3]) })},
		{"lines swapped", lines(func(l []string) []string { l[3], l[4] = l[4], l[3]; return l })},
		{"the end cut off", lines(func(l []string) []string { return l[:len(l)-2] })},
		{"the header removed", lines(func(l []string) []string { return l[1:] })},
		{"the first segment removed", func(t *testing.T, p *project) { os.Remove(p.segment(1)) }},
		{"HEAD removed", func(t *testing.T, p *project) { os.Remove(filepath.Join(p.state, "journal", "HEAD")) }},
		{"a blob removed", func(t *testing.T, p *project) { os.RemoveAll(filepath.Join(p.state, "journal", "blobs")) }},
		{"another project's journal", func(t *testing.T, p *project) {
			q := newProject(t, nil)
			q.busy()
			b, _ := os.ReadFile(q.segment(1))
			p.rewrite(p.segment(1), func([]byte) []byte { return b })
			h, _ := os.ReadFile(filepath.Join(q.state, "journal", "HEAD"))
			p.rewrite(filepath.Join(p.state, "journal", "HEAD"), func([]byte) []byte { return h })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t, nil)
			p.busy()
			p.Close()
			c.damage(t, p)
			p.open(nil)
			r := p.status()
			if !r.Blocked || len(r.Tampered) == 0 || r.Journal.Chain != "broken" {
				t.Fatalf("status is %+v", r)
			}
			_, err := p.Write(ctx, by, WriteArgs{Path: "g", Content: "x"})
			wantCode(t, err, RecoveryBlocked)
			if _, err := p.History(ctx, HistoryArgs{}); err != nil {
				t.Errorf("history: %v", err)
			}
			_, err = p.Touched(ctx, by.Seat, []arc.TurnID{by.Turn})
			wantCode(t, err, RecoveryBlocked)
			if err := p.AcceptJournal(ctx, "tried in a test"); err != nil {
				t.Fatal(err)
			}
			if r := p.status(); r.Blocked {
				t.Fatalf("after accepting: %+v", r)
			}
			id := p.create("g", "x").ChangeID
			p.open(nil)
			if r := p.status(); r.Blocked {
				t.Fatalf("opened again: %+v", r)
			}
			p.undo(id)
		})
	}
}

func (p *project) rewrite(path string, do func([]byte) []byte) {
	p.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, do(bytes.Clone(b)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func lines(do func([]string) []string) func(*testing.T, *project) {
	return func(t *testing.T, p *project) {
		p.rewrite(p.segment(1), func(b []byte) []byte {
			l := strings.SplitAfter(string(b), "\n")
			return []byte(strings.Join(do(l[:len(l)-1]), ""))
		})
	}
}

// TestNoDamageIsSilent damages the journal at random: what happens is reported
// and blocks, or was a last record without its newline that nothing rested on.
// TestARecordThatIsTooLong: a path of many directories makes a record that nobody
// would read back, and one that somebody put there is damage like any other.
func TestARecordThatIsTooLong(t *testing.T) {
	t.Run("is not written", func(t *testing.T) {
		p := newProject(t, nil)
		_, err := p.Write(ctx, by, WriteArgs{Path: strings.Repeat("a/", 1200) + "f", Content: "x"})
		wantCode(t, err, arc.InvalidPath)
		if p.exists("a") {
			t.Error("directories were made")
		}
		p.create("f", "x")
		p.open(nil)
		if r := p.status(); r.Status != "clean" || r.Journal.Changes != 1 {
			t.Errorf("opened again: %+v", r)
		}
	})
	t.Run("blocks changes and not the opening", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "x"})
		p.Close()
		p.rewrite(p.segment(1), func(b []byte) []byte { return append(b, strings.Repeat("x", 2*maxLine)+"\n"...) })
		p.open(nil)
		if r := p.status(); !r.Blocked || len(r.Tampered) != 1 {
			t.Errorf("status is %+v", r)
		}
	})
}

func TestALostHeadCostsNoChanges(t *testing.T) {
	p := newProject(t, map[string]string{"f": "0"})
	p.open(&Options{KeepChanges: 40}) // so that there are several segments
	for n := range 30 {
		p.edit("f", fmt.Sprint(n), fmt.Sprint(n+1))
	}
	p.Close()
	if err := os.Remove(filepath.Join(p.state, "journal", "HEAD")); err != nil {
		t.Fatal(err)
	}
	p.open(nil)
	if !p.status().Blocked {
		t.Error("nothing blocks")
	}
	if err := p.AcceptJournal(ctx, "test"); err != nil {
		t.Fatal(err)
	}
	if r := p.status(); r.Blocked || r.Journal.Changes != 30 {
		t.Errorf("status is %+v", r)
	}
}

func TestNoDamageIsSilent(t *testing.T) {
	p := newProject(t, nil)
	p.busy()
	p.Close()
	whole, err := os.ReadFile(p.segment(1))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		b := bytes.Clone(whole)
		at := r.IntN(len(b))
		what := ""
		switch i % 3 {
		case 0:
			bit := byte(1) << r.IntN(8)
			b[at] ^= bit
			what = fmt.Sprintf("bit %#x of byte %d of %d flipped", bit, at, len(b))
		case 1:
			b, what = b[:at], fmt.Sprintf("cut at %d of %d", at, len(b))
		case 2:
			n := min(1+r.IntN(50), len(b)-at)
			b, what = slices.Delete(b, at, at+n), fmt.Sprintf("%d bytes at %d of %d removed", n, at, len(b))
		}
		if err := os.WriteFile(p.segment(1), b, 0o600); err != nil {
			t.Fatal(err)
		}
		p.open(nil)
		s := p.status()
		// The last record is a commit, which needs no trace: recovery finds it again.
		if !s.Blocked && len(s.Recovered) == 0 && len(s.Warnings) == 0 {
			t.Errorf("%s: silent: %+v", what, s)
		}
		p.Close()
	}
}

func TestAKeyedJournalFindsAForgery(t *testing.T) {
	p := &project{t: t, dir: t.TempDir(), state: t.TempDir()}
	p.open(&Options{Key: []byte("secret")})
	p.busy()
	if got := p.status().Journal.Chain; got != "keyed_ok" {
		t.Errorf("chain is %s", got)
	}
	p.Close()
	// A forger without the key builds a chain that is sound in itself.
	forged, err := os.ReadFile(p.segment(1))
	if err != nil {
		t.Fatal(err)
	}
	read, write := chain{key: []byte("secret")}, chain{}
	var out []byte
	for line := range bytes.Lines(forged) {
		r, err := read.decode(bytes.TrimSuffix(line, newline), false)
		if err != nil {
			t.Fatal(err)
		}
		b, err := write.encode(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	p.rewrite(p.segment(1), func([]byte) []byte { return out })
	p.open(&Options{Key: []byte("secret")})
	if r := p.status(); !r.Blocked {
		t.Errorf("status is %+v", r)
	}
}

// interrupted is a project whose process died right after the exchange of an edit
// of f: somebody else's version came out of it or took the file's place.
func interrupted(t *testing.T, spoil func(p *project, tmp string)) *project {
	t.Helper()
	p := newProject(t, map[string]string{"f": "old"})
	p.edit("f", "old", "new")
	p.Close()
	b, err := os.ReadFile(p.segment(1))
	if err != nil {
		t.Fatal(err)
	}
	b = b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] // without the commit
	if err := os.WriteFile(p.segment(1), b, 0o600); err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(b, []byte(`"id":"`)) + len(`"id":"`)
	spoil(p, tempName(string(b[i:i+bytes.IndexByte(b[i:], '"')])))
	p.open(nil)
	return p
}

func TestAmbiguousChangesWaitForTheHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(p *project, tmp string)
		reason string
		how    Resolution
		want   string
		code   arc.Code
	}{
		{"somebody saved at the last moment: keep", func(p *project, tmp string) { p.put(tmp, "theirs") }, "displaced_changed", KeepCurrent, "new", ""},
		{"somebody saved at the last moment: restore", func(p *project, tmp string) { p.put(tmp, "theirs") }, "displaced_changed", RestoreBefore, "old", ""},
		{"somebody saved since: keep", func(p *project, tmp string) { p.put("f", "theirs") }, "target_changed", KeepCurrent, "theirs", ""},
		{"somebody saved since: restore", func(p *project, tmp string) { p.put("f", "theirs") }, "target_changed", RestoreBefore, "old", ""},
		{"the new content was kept", func(p *project, tmp string) { p.put("f", "theirs"); p.put(tmp, "new") }, "target_changed", RestoreAfter, "new", ""},
		{"the new content was not kept", func(p *project, tmp string) { p.put("f", "theirs") }, "target_changed", RestoreAfter, "theirs", NotUndoable},
		{"the file is gone", func(p *project, tmp string) { os.Remove(p.path("f")) }, "target_missing", RestoreBefore, "old", ""},
		{"a directory took its place", func(p *project, tmp string) { os.Remove(p.path("f")); p.put("f/x", "x") }, "not_regular", KeepCurrent, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := interrupted(t, c.spoil)
			r := p.status()
			if !r.Blocked || len(r.Ambiguous) != 1 || r.Ambiguous[0].Reason != c.reason {
				t.Fatalf("status is %+v", r)
			}
			_, err := p.Write(ctx, by, WriteArgs{Path: "g", Content: "x"})
			wantCode(t, err, RecoveryBlocked)
			err = p.Resolve(ctx, r.Ambiguous[0].ChangeID, c.how)
			if c.code != "" {
				wantCode(t, err, c.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.want != "" && p.get("f") != c.want {
				t.Errorf("file is %q, want %q", p.get("f"), c.want)
			}
			p.noLeftovers()
			p.create("g", "x")
			p.open(nil)
			if r := p.status(); r.Blocked {
				t.Errorf("opened again: %+v", r)
			}
		})
	}
}

// TestAnAmbiguityThatPasses: a file that could not be read for a moment, as for
// want of descriptors, does not block changes for as long as the process runs.
func TestAnAmbiguityThatPasses(t *testing.T) {
	p := interrupted(t, func(p *project, tmp string) {
		os.Remove(p.path("f"))
		if err := os.Symlink("f", p.path("f")); err != nil {
			t.Skip(err)
		}
	})
	if r := p.status(); len(r.Ambiguous) != 1 || r.Ambiguous[0].Reason != "unreadable" {
		t.Fatalf("status is %+v", r)
	}
	os.Remove(p.path("f"))
	p.put("f", "new")
	if r := p.status(); r.Blocked || len(r.Recovered) != 1 {
		t.Errorf("status is %+v", r)
	}
	p.create("g", "x")
}

// A clingingFolder does not let go of temporary files, as one that was made
// read-only.
type clingingFolder struct{ folder }

func (f clingingFolder) openDir(name string) (folder, error) {
	d, err := f.folder.openDir(name)
	return clingingFolder{d}, err
}

func (f clingingFolder) remove(name string) error {
	if isTempName(name) {
		return fs.ErrPermission
	}
	return f.folder.remove(name)
}

func TestALeftoverThatCannotBeRemovedBlocksChangesAlone(t *testing.T) {
	p := interrupted(t, func(p *project, tmp string) {
		p.put(tmp, "old")
		ws := &Workspace{}
		if err := ws.start(p.dir, &Options{State: p.state}, func(d folder) folder { return clingingFolder{d} }); err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if r, err := ws.RecoveryStatus(ctx); err != nil || !r.Blocked || len(r.Ambiguous) != 1 {
			t.Errorf("status is %+v, %v", r, err)
		}
		if _, err := ws.Read(ctx, ReadArgs{Path: "f"}); err != nil {
			t.Error(err)
		}
	})
	if r := p.status(); r.Status != "recovered" {
		t.Errorf("once it can be removed: %+v", r)
	}
	p.noLeftovers()
}

// TestAResolutionThatFailsHalfWay: what a change kept beside its file is in one
// place or the other at any moment, and the change ends once.
func TestAResolutionThatFailsHalfWay(t *testing.T) {
	var tmp string
	p := interrupted(t, func(p *project, name string) { tmp = name; p.put(tmp, "theirs") })
	id := p.status().Ambiguous[0].ChangeID
	kept := filepath.Join(p.state, "journal", "kept")
	if err := os.Remove(kept); err != nil { // no copy can be made
		t.Fatal(err)
	}
	if err := p.Resolve(ctx, id, KeepCurrent); err == nil {
		t.Fatal("resolved without a copy")
	}
	if p.get(tmp) != "theirs" || !p.status().Blocked {
		t.Error("what could not be copied is not as it was")
	}
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, id), []byte("th"), 0o600); err != nil { // a copy cut short
		t.Fatal(err)
	}
	if err := p.Resolve(ctx, id, KeepCurrent); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(kept, id))
	if string(b) != "theirs" || err != nil || p.exists(tmp) {
		t.Errorf("kept %q, %v", b, err)
	}
	p.open(nil)
	if r := p.status(); r.Blocked || !slices.Equal(r.Conflicts, []string{id}) {
		t.Errorf("opened again: %+v", r)
	}
}

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

// TestALossThatOneRecordCannotHold: after the loss of very many images the journal
// could not be accepted.
func TestALossThatOneRecordCannotHold(t *testing.T) {
	p := newProject(t, map[string]string{"f": "x"})
	before := &version{hashOf([]byte("lost")), 4, 0o644, imageBlob}
	after := &version{Hash: hashOf([]byte("x")), Size: 1, Mode: 0o644}
	const losses = 2*maxLost + 1
	for n := range losses {
		id := fmt.Sprintf("%s%090d_a", changePrefix, n)
		for _, r := range []*record{
			{Type: typeIntent, ID: id, intent: &intent{Op: Replace, Path: "f", Real: "f", Before: before, After: after, Tmp: tempName(id)}},
			{Type: typeCommit, ID: id, Now: after.Hash},
		} {
			if err := p.journal.append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.open(nil)
	if r := p.status(); !r.Blocked {
		t.Fatalf("status is %+v", r)
	}
	if err := p.AcceptJournal(ctx, "a disk was lost"); err != nil {
		t.Fatal(err)
	}
	p.open(nil)
	if r := p.status(); r.Blocked || len(p.journal.lost) != losses {
		t.Errorf("%d are lost, status %+v", len(p.journal.lost), r)
	}
	p.edit("f", "x", "y")
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

// FuzzAnyJournalOpens: whatever the bytes, the workspace opens, says how it
// stands, and either blocks changes or makes them.
func FuzzAnyJournalOpens(f *testing.F) {
	seed := newProject(f, nil)
	seed.busy()
	seed.Close()
	whole, err := os.ReadFile(seed.segment(1))
	if err != nil {
		f.Fatal(err)
	}
	head, err := os.ReadFile(filepath.Join(seed.state, "journal", "HEAD"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, head)
	f.Add(whole[:len(whole)-10], head)
	f.Add([]byte("{}\n"), []byte{})
	f.Fuzz(func(t *testing.T, segment, head []byte) {
		p := &project{t: t, dir: seed.dir, state: t.TempDir()}
		if err := os.Mkdir(filepath.Join(p.state, "journal"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{p.segment(1): segment, filepath.Join(p.state, "journal", "HEAD"): head} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.open(&Options{Durability: Process})
		name := fmt.Sprintf("fuzzed%d", os.Getpid()) // fuzzing has several processes
		defer os.Remove(p.path(name))
		_, err := p.Write(ctx, by, WriteArgs{Path: name, Content: "x"})
		if r := p.status(); r.Blocked != (err != nil) {
			t.Fatalf("blocked is %v, a change says %v", r.Blocked, err)
		}
	})
}
