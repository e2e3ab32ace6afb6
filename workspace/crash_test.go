package workspace

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"testing"
)

// errDead is what every effect of a process comes to after its death.
var errDead = errors.New("the process is dead")

// A life counts effects on the disk and ends before one of them.
type life struct{ left atomic.Int64 }

func newLife(effects int) *life {
	l := &life{}
	l.left.Store(int64(effects))
	return l
}

func (l *life) spend() error {
	if l.left.Add(-1) < 0 {
		return errDead
	}
	return nil
}

func (l *life) over() bool { return l.left.Load() < 0 }

// A mortalFolder is a folder whose effects stop when its process dies. What was
// done before stays: that is what a kill leaves.
type mortalFolder struct {
	folder
	*life
}

func (m mortalFolder) openDir(name string) (folder, error) {
	d, err := m.folder.openDir(name)
	return mortalFolder{d, m.life}, err
}

func (m mortalFolder) effect(do func() error) error {
	if err := m.spend(); err != nil {
		return err
	}
	return do()
}

func (m mortalFolder) file(do func() (file, error)) (file, error) {
	if err := m.spend(); err != nil {
		return nil, err
	}
	f, err := do()
	if err != nil {
		return nil, err
	}
	return mortalFile{f, m.life}, nil
}

func (m mortalFolder) openAppend(name string) (file, error) {
	return m.file(func() (file, error) { return m.folder.openAppend(name) })
}

func (m mortalFolder) create(name string, perm fs.FileMode) (file, error) {
	return m.file(func() (file, error) { return m.folder.create(name, perm) })
}

func (m mortalFolder) exchange(a, b string) error {
	return m.effect(func() error { return m.folder.exchange(a, b) })
}

func (m mortalFolder) moveNew(a, b string) error {
	return m.effect(func() error { return m.folder.moveNew(a, b) })
}

func (m mortalFolder) replace(a, b string) error {
	return m.effect(func() error { return m.folder.replace(a, b) })
}

func (m mortalFolder) remove(name string) error {
	return m.effect(func() error { return m.folder.remove(name) })
}

func (m mortalFolder) mkdir(name string, perm fs.FileMode) error {
	return m.effect(func() error { return m.folder.mkdir(name, perm) })
}

func (m mortalFolder) sync() error { return m.effect(m.folder.sync) }

type mortalFile struct {
	file
	*life
}

// Write writes half and dies, if it dies.
func (m mortalFile) Write(b []byte) (int, error) {
	if err := m.spend(); err != nil {
		if m.left.Load() == -1 {
			m.file.Write(b[:len(b)/2])
		}
		return 0, err
	}
	return m.file.Write(b)
}

func (m mortalFile) Sync() error {
	if err := m.spend(); err != nil {
		return err
	}
	return m.file.Sync()
}

func (m mortalFile) Chmod(mode fs.FileMode) error {
	if err := m.spend(); err != nil {
		return err
	}
	return m.file.Chmod(mode)
}

func (m mortalFile) Truncate(n int64) error {
	if err := m.spend(); err != nil {
		return err
	}
	return m.file.Truncate(n)
}

// mortal gives the workspace n more effects.
func (p *project) mortal(n int) *life {
	l := newLife(n)
	p.root = mortalFolder{p.root, l}
	p.journal.dir = mortalFolder{p.journal.dir, l}
	p.journal.file = mortalFile{p.journal.file, l}
	return l
}

type changeKind struct {
	name          string
	setUp         func(p *project) (undo string)
	before, after string // of the file sub/dir/f; empty: none
	do            func(p *project, undo string) error
}

// changeKinds are all that a change can be.
var changeKinds = []changeKind{
	{"create", nil, "", "new\n", func(p *project, _ string) error {
		_, err := p.Write(ctx, by, WriteArgs{Path: "sub/dir/f", Content: "new\n"})
		return err
	}},
	{"replace", func(p *project) string { p.put("sub/dir/f", "old\n"); return "" }, "old\n", "new\n", func(p *project, _ string) error {
		_, err := p.Edit(ctx, by, EditArgs{Path: "sub/dir/f", OldString: "old", NewString: "new", ExpectedSHA256: string(hashOf([]byte("old\n")))})
		return err
	}},
	{"replace of a large file", func(p *project) string { p.put("sub/dir/f", large(1)); return "" },
		large(1), large(2), func(p *project, _ string) error {
			_, err := p.Write(ctx, by, WriteArgs{Path: "sub/dir/f", Content: large(2), ExpectedSHA256: p.hash("sub/dir/f")})
			return err
		}},
	{"undo of a create", func(p *project) string { return p.create("sub/dir/f", "old\n").ChangeID }, "old\n", "", undoIt},
	{"undo of an edit", func(p *project) string {
		p.put("sub/dir/f", "new\n")
		return p.edit("sub/dir/f", "new", "old").ChangeID
	}, "old\n", "new\n", undoIt},
	{"redo of a create", func(p *project) string { return p.undo(p.create("sub/dir/f", "new\n").ChangeID).ChangeID }, "", "new\n", undoIt},
}

func undoIt(p *project, undo string) error {
	_, err := p.Undo(ctx, by, UndoArgs{undo})
	return err
}

// TestACrashAtEachStep kills the process before every single effect of every kind
// of change, and then before every effect of the recovery from it.
func TestACrashAtEachStep(t *testing.T) {
	var all atomic.Int64
	t.Cleanup(func() {
		t.Logf("score: crash %d ≥ 400 moments of a crash, after each of which a file is old or new", all.Load())
	})
	for _, c := range changeKinds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			points := 0
			for n, done := 0, false; !done; n++ {
				for m := 0; ; m++ { // effects that the recovery gets
					p := newProject(t, nil)
					undo := ""
					if c.setUp != nil {
						undo = c.setUp(p)
					}
					l := p.mortal(n)
					err := c.do(p, undo)
					done = err == nil
					if err != nil && !l.over() {
						t.Fatalf("with %d effects: %v", n, err)
					}
					survived := p.recoverWith(m)
					points++
					p.checkAfterCrash(c.before, c.after, done)
					p.Close()
					os.RemoveAll(p.dir)
					os.RemoveAll(p.state)
					if survived {
						break
					}
				}
			}
			t.Logf("%d crash points", points)
			all.Add(int64(points))
		})
	}
}

// recoverWith opens the workspace as a process that lives for m effects, and
// reports whether that was enough.
func (p *project) recoverWith(m int) bool {
	p.Close()
	ws := &Workspace{}
	l := newLife(m)
	err := ws.start(p.dir, &Options{State: p.state}, func(d folder) folder { return mortalFolder{d, l} })
	ws.Close()
	return err == nil && !l.over()
}

// checkAfterCrash opens the workspace as the next process does.
func (p *project) checkAfterCrash(before, after string, acknowledged bool) {
	t := p.t
	t.Helper()
	p.open(nil)
	r, err := p.RecoveryStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r.Blocked {
		t.Fatalf("blocked: %+v", r)
	}
	got := ""
	if p.exists("sub/dir/f") {
		got = p.get("sub/dir/f")
	}
	switch {
	case acknowledged && got != after:
		t.Fatalf("an acknowledged change is lost: %.20q", got)
	case got != before && got != after:
		t.Fatalf("file is %.20q", got)
	}
	p.noLeftovers()
	if got == "" && p.exists("sub") {
		t.Fatal("directories that the change made are left")
	}
	h, err := p.History(ctx, HistoryArgs{})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Changes) > 0 && got == after && before != after {
		if c := h.Changes[0]; c.Status != "applied" && c.Status != "recovered" {
			t.Fatalf("the file is new and its change is %s", c.Status)
		}
		p.undo(h.Changes[0].ChangeID)
		if p.exists("sub/dir/f") != (before != "") {
			t.Fatal("undo left the wrong file")
		}
	}
}
