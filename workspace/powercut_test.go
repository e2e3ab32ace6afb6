package workspace

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

var powerCuts = flag.Int("powercuts", 3, "disks that are made of each moment of a power cut, about; from 100 on the tests of power cuts, faults and tampering leave nothing out")

// A simWorld is a workspace on a simulated disk.
type simWorld struct {
	*Workspace
	t     testing.TB
	disk  *simDisk
	locks string
	o     Options
}

func newSimWorld(t testing.TB, o Options) *simWorld {
	t.Helper()
	return &simWorld{t: t, disk: newSimDisk(), locks: t.TempDir(), o: o}
}

// on is the world of another disk.
func (w *simWorld) on(s simState) *simWorld {
	d := &simDisk{state: slices.Clone(s)}
	return &simWorld{t: w.t, disk: d, locks: w.locks, o: w.o}
}

func (w *simWorld) open() (err error) {
	if w.Workspace != nil {
		w.Close()
		w.Workspace = nil
	}
	w.Workspace, err = openSim(w.disk, w.locks, &w.o)
	return err
}

// must opens the workspace, and does what sets a test up.
func (w *simWorld) must(steps ...step) {
	w.t.Helper()
	for _, do := range append([]step{(*simWorld).open}, steps...) {
		if err := do(w); err != nil {
			w.t.Fatal(err)
		}
	}
}

// get is the content of a file of the project; empty: there is none.
func (w *simWorld) get(path string) string {
	if n := w.disk.state.at(simProject, path); n != nil {
		return string(n.data)
	}
	return ""
}

// put puts a file on the disk, durably.
func (w *simWorld) put(path, content string) {
	dir := simFolder{w.disk, simProject}
	names := strings.Split(path, "/")
	for _, name := range names[:len(names)-1] {
		dir.mkdir(name, 0o777)
		next, err := dir.openDir(name)
		if err != nil {
			w.t.Fatal(err)
		}
		dir = next.(simFolder)
	}
	f, err := dir.create(names[len(names)-1], 0o666)
	if err != nil {
		w.t.Fatal(err)
	}
	f.Write([]byte(content))
}

// A step is something that a process does; nil: it was acknowledged.
type step func(w *simWorld) error

const simTarget = "sub/dir/f"

// save gives the target a content.
func save(content string) step {
	return func(w *simWorld) error {
		a := WriteArgs{Path: simTarget, Content: content}
		if now := w.get(simTarget); now != "" {
			a.ExpectedSHA256 = string(hashOf([]byte(now)))
		}
		_, err := w.Write(ctx, by, a)
		return err
	}
}

// undoLast takes back the newest change that is in effect.
func undoLast(w *simWorld) error {
	_, err := w.Undo(ctx, by, UndoArgs{w.newest().id})
	return err
}

func putTarget(content string) step {
	return func(w *simWorld) error { w.put(simTarget, content); return nil }
}

// large is a content whose image is a blob: letters by chance, of which deflating
// leaves three quarters.
func large(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-\n"
	r := rand.New(rand.NewPCG(uint64(n), 3))
	b := make([]byte, 3*inlineImage/2)
	for i := range b {
		b[i] = letters[r.Uint32()%64]
	}
	return fmt.Sprintf("%d\n%s", n, b)
}

// A scene is a run of steps during which the power may be cut.
type scene struct {
	name     string
	o        Options
	setUp    []step
	steps    []step
	versions []string // of the target: before the first step, and after each
}

// crowded makes room for two changes in a segment, and for few in the journal.
var crowded = Options{KeepChanges: 4}

var scenes = []scene{
	{"the first opening", Options{}, nil, []step{(*simWorld).open, save("new")}, []string{"", "", "new"}},
	{"a create, with its directories", Options{}, nil, []step{save("new")}, []string{"", "new"}},
	{"a replace", Options{}, []step{putTarget("old")}, []step{save("new")}, []string{"old", "new"}},
	{"three replaces", Options{}, []step{putTarget("old")}, []step{save("1"), save("2"), save("3")}, []string{"old", "1", "2", "3"}},
	{"a replace of a large file", Options{}, []step{putTarget(large(1))}, []step{save(large(2))}, []string{large(1), large(2)}},
	{"an undo of a create", Options{}, []step{save("old")}, []step{undoLast}, []string{"old", ""}},
	{"an undo of a replace", Options{}, []step{putTarget("new"), save("old")}, []step{undoLast}, []string{"old", "new"}},
	{"an undo of a replace of a large file", Options{}, []step{putTarget(large(1)), save("small")}, []step{undoLast}, []string{"small", large(1)}},
	{"an undo of an undo of a create", Options{}, []step{save("new"), undoLast}, []step{undoLast}, []string{"", "new"}},
	{"an undo of an undo of an undo", Options{}, []step{save("new"), undoLast, undoLast}, []step{undoLast}, []string{"new", ""}},
	{"a new segment", crowded, []step{save("1"), save("2")}, []step{save("3"), save("4")}, []string{"2", "3", "4"}},
	{"a prune", crowded, []step{putTarget(large(0)), save(large(1)), save("2"), save("3"), save("4"), save("5")}, []step{save("6"), save("7")}, []string{"5", "6", "7"}},
	{"a prune of many segments", Options{KeepChanges: 1}, []step{
		reopened(crowded), save("0"), save("1"), save("2"), save("3"), save("4"), save("5"), reopened(Options{KeepChanges: 1}),
	}, []step{save("6"), save("7")}, []string{"5", "6", "7"}},
}

// reopened opens the workspace anew with other options.
func reopened(o Options) step {
	return func(w *simWorld) error { w.o = o; return w.open() }
}

// TestAPowerCut cuts the power at each moment of every kind of change, and makes
// each disk that may be left: of what was not synced any part is there, of a write
// also half of it or its length in zeros. On each of them the workspace opens, the
// file is old or new and what was acknowledged is new, nothing waits for the host,
// the change can be undone, and the journal goes on.
func TestAPowerCut(t *testing.T) {
	var disks atomic.Int64
	t.Cleanup(func() {
		t.Logf("score: crash %d ≥ 400 disks that a power cut leaves, each of which opens as it should", disks.Load())
	})
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			disks.Add(int64(s.play(t)))
		})
	}
}

// TestAPowerCutAfterAKill kills the process before each effect of a change, lets
// another one recover and make a change of another file, and cuts the power at each
// moment of that.
func TestAPowerCutAfterAKill(t *testing.T) {
	for _, s := range scenes {
		if len(s.steps) > 1 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			seen := &cuts{seen: map[string]bool{}}
			lives := 0
			for over := false; !over; lives++ {
				over = s.playKilled(t, lives, seen)
			}
			t.Logf("%d kills, %d combinations, %d of them looked at, %d different disks", lives-1, seen.possible, seen.made, len(seen.seen))
		})
	}
}

// playKilled gives the process that many effects, and reports whether they were
// enough.
func (s *scene) playKilled(t *testing.T, effects int, seen *cuts) bool {
	w := s.stage(t)
	base := slices.Clone(w.disk.state)
	w.disk.log = nil
	l := newLife(effects)
	w.disk.before = l.beforeEffect
	s.steps[0](w)
	w.Close()
	if !l.over() {
		return true
	}
	w.Workspace, w.disk.before = nil, nil
	begun := len(w.disk.log)
	if err := w.open(); err != nil {
		t.Fatalf("killed after %d effects: %v", effects, err)
	}
	if err := w.sound(); err != nil {
		t.Fatalf("killed after %d effects: %v", effects, err)
	}
	if _, err := w.Write(ctx, by, WriteArgs{Path: "other", Content: large(3)}); err != nil {
		t.Fatalf("killed after %d effects: %v", effects, err)
	}
	w.Close()
	log := blobsFirst(w.disk.log, blobNodes(w.disk.state))
	stride := 1 // what takes long is for who asks for it
	if *powerCuts < 100 {
		stride = 67
	}
	for k := begun + effects%stride; k <= len(log); k += stride {
		seen.at(base, log[:k], func(disk simState, fates []fate) {
			if !seen.isNew(disk, 0) {
				return
			}
			w := w.on(disk)
			err := s.check(w, 0)
			if err == nil && k == len(log) && w.get("other") == "" {
				err = errors.New("what was acknowledged is lost")
			}
			if err != nil {
				t.Fatalf("killed after %d effects, and the power was cut after %d of %d, with fates %v: %v", effects, k, len(log), fates, err)
			}
		})
	}
	return false
}

// beforeEffect lets a process die in the middle of a write.
func (l *life) beforeEffect(call string, _ int) error {
	switch call {
	case "lstat", "fstat", "readdir", "opendir", "open", "read":
		return nil
	}
	err := l.spend()
	if err != nil && l.left.Load() == -1 {
		return halfWay{err}
	}
	return err
}

// stage is the world in which the scene begins.
func (s *scene) stage(t *testing.T) *simWorld {
	w := newSimWorld(t, s.o)
	w.put("bystander", "untouched")
	if len(s.setUp) > 0 || len(s.steps) == 1 {
		w.must(s.setUp...)
	}
	return w
}

func (s *scene) play(t *testing.T) (disks int) {
	w := s.stage(t)
	base := slices.Clone(w.disk.state)
	w.disk.log = nil
	var marks []int // how long the log was when each step was acknowledged
	for _, do := range s.steps {
		if err := do(w); err != nil {
			t.Fatal(err)
		}
		marks = append(marks, len(w.disk.log))
	}
	w.Close()
	log := blobsFirst(w.disk.log, blobNodes(w.disk.state))
	cuts := &cuts{seen: map[string]bool{}}
	stride := 1
	if *powerCuts < 100 && len(log) > 30 {
		stride = 3
	}
	for k := 0; k <= len(log); k += stride {
		done := 0
		for done < len(marks) && marks[done] <= k {
			done++
		}
		cuts.at(base, log[:k], func(disk simState, fates []fate) {
			if !cuts.isNew(disk, done) {
				return
			}
			if err := s.check(w.on(disk), done); err != nil {
				t.Fatalf("after %d of %d effects, of which %d steps, with fates %v: %v", k, len(log), done, fates, err)
			}
		})
	}
	t.Logf("%d moments, %d combinations, %d of them looked at, %d different disks", len(log)+1, cuts.possible, cuts.made, len(cuts.seen))
	return len(cuts.seen)
}

// cuts counts the disks that power cuts leave.
type cuts struct {
	possible, made int
	seen           map[string]bool
}

func (c *cuts) isNew(disk simState, done int) bool {
	key := fmt.Sprint(done, disk.key())
	isNew := !c.seen[key]
	c.seen[key] = true
	return isNew
}

// at calls do with the disks that a power cut after the effects of log may leave.
func (c *cuts) at(base simState, log []effect, do func(disk simState, fates []fate)) {
	var open []int // effects that no sync made durable
	all := 1
	for i := range log {
		e := &log[i]
		durable := slices.ContainsFunc(log[i:], func(s effect) bool { return s.kind == synced && s.node == e.node })
		if e.kind != synced && !durable {
			open = append(open, i)
			all *= int(e.fates())
		}
	}
	c.possible += all
	fates := make([]fate, len(log))
	leave := func() {
		disk := slices.Clone(base)
		for i := range log {
			disk = disk.do(&log[i], i, fates[i])
		}
		c.made++
		do(disk, fates)
	}
	if all <= *powerCuts {
		for n := range all {
			for _, i := range open {
				m := int(log[i].fates())
				fates[i], n = fate(n%m), n/m
			}
			leave()
		}
		return
	}
	// Nothing, everything, all but one, one alone, and some by chance.
	for _, most := range []fate{kept, absent} {
		for _, i := range open {
			fates[i] = most
		}
		leave()
		for _, i := range open {
			for f := range log[i].fates() {
				if f != most && (f <= absent || *powerCuts >= 100) {
					fates[i] = f
					leave()
				}
			}
			fates[i] = most
		}
	}
	r := rand.New(rand.NewPCG(uint64(len(log)), 1))
	for range *powerCuts {
		for _, i := range open {
			fates[i] = fate(r.IntN(int(log[i].fates())))
		}
		leave()
	}
}

// check opens the workspace as the machine does when it is back.
func (s *scene) check(w *simWorld, done int) error {
	if err := w.open(); err != nil {
		return err
	}
	defer func() { w.Close() }()
	if err := w.sound(); err != nil {
		return err
	}
	got := w.get(simTarget)
	at := done // which version it is
	if got != s.versions[at] {
		if at++; at == len(s.versions) || got != s.versions[at] {
			return fmt.Errorf("the file is %q", clip(strings.TrimSpace(got), 20))
		}
	}
	if c := w.newest(); c != nil && (at > 0 && s.versions[at] != s.versions[at-1] || at == 0 && c.afterHash() != hashOfFile(got)) {
		if c.afterHash() != hashOfFile(got) {
			return fmt.Errorf("the file is %q and its newest change says otherwise", clip(strings.TrimSpace(got), 20))
		}
		if _, err := w.Undo(ctx, by, UndoArgs{c.id}); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
		if now := w.get(simTarget); now != s.versions[at-1] {
			return fmt.Errorf("undone, the file is %q", clip(strings.TrimSpace(now), 20))
		}
	}
	for n := range 3 {
		if err := w.open(); err != nil {
			return fmt.Errorf("opened again: %w", err)
		}
		if err := w.sound(); err != nil {
			return fmt.Errorf("opened again: %w", err)
		}
		if _, err := w.Write(ctx, by, WriteArgs{Path: fmt.Sprint("later", n), Content: "x"}); err != nil {
			return fmt.Errorf("a later change: %w", err)
		}
	}
	return nil
}

func hashOfFile(content string) SHA256 {
	if content == "" {
		return ""
	}
	return hashOf([]byte(content))
}

// newest is the last change of the target that is in effect; nil if none is known.
func (w *simWorld) newest() *change {
	for _, c := range slices.Backward(w.journal.changes) {
		if c.Real == simTarget && c.applied() {
			return c
		}
	}
	return nil
}

// sound reports what is wrong with the workspace beside its target.
func (w *simWorld) sound() error {
	r, err := w.RecoveryStatus(ctx)
	switch {
	case err != nil:
		return err
	case r.Blocked:
		return fmt.Errorf("blocked: %+v", r)
	case w.get("bystander") != "untouched":
		return fmt.Errorf("the file beside is %q", w.get("bystander"))
	}
	var left error
	w.disk.state.each(simProject, func(name string) {
		if isTempName(name) && w.journal.byID[strings.TrimSuffix(strings.TrimPrefix(name, ".arc-"), ".tmp")] != nil {
			left = fmt.Errorf("%s is left behind", name)
		}
	})
	return left
}

// each calls do with every name below a directory.
func (s simState) each(node int, do func(name string)) {
	for _, n := range s[node].names {
		do(n.name)
		if s[n.node].mode.IsDir() {
			s.each(n.node, do)
		}
	}
}

// blobNodes are the nodes below the journal's blobs.
func blobNodes(s simState) map[int]bool {
	nodes := map[int]bool{}
	var walk func(n int)
	walk = func(n int) {
		nodes[n] = true
		for _, name := range s[n].names {
			walk(name.node)
		}
	}
	if _, n := s[simJournal].find("blobs"); n >= 0 {
		walk(n)
	}
	return nodes
}

// blobsFirst orders what a change does at the same time so that the power cuts of
// every order are among those of this one: a sync comes after the effects of the
// blob that it may come after.
func blobsFirst(log []effect, blobs map[int]bool) []effect {
	for moved := true; moved; {
		moved = false
		for i := range len(log) - 1 {
			if a, b := log[i], log[i+1]; a.kind == synced && !blobs[a.node] && blobs[b.node] {
				log[i], log[i+1], moved = b, a, true
			}
		}
	}
	return log
}
