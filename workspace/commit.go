package workspace

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// A mutation is a change that is about to be made. What stands at its place was
// read under the lock; what stands there at the moment of the rename is checked
// again, by exchanging the two files and looking at the one that came out.
type mutation struct {
	op     Op
	tool   string
	place  *place
	before []byte // content that it replaces or removes
	after  []byte // content that it leaves
	mode   fs.FileMode
	undoOf string
	packed []byte   // before, deflated, if that was done and it is a blob
	dirs   []string // taken away with the file, if they are empty then
	added  int
	lost   int // lines removed
	origin arc.Origin
}

// tempName is the name beside the target under which a change is prepared.
func tempName(id string) string { return ".arc-" + id + ".tmp" }

func isTempName(name string) bool {
	return len(name) > len(".arc-change_.tmp") && name[:len(".arc-change_")] == ".arc-change_" && name[len(name)-len(".tmp"):] == ".tmp"
}

// outcome is what a commit reports beside the change itself.
type outcome struct {
	change   *change
	swap     string   // "rename" where two names cannot be exchanged
	warnings []string // what the new file did not inherit
	open     bool     // made, but the next enter has to tidy up after it
}

// commit makes m. When it returns, the file is as it was, or as m leaves it and
// as durable as the workspace's option says. It does not stop for ctx: a change
// that has begun ends.
func (ws *Workspace) commit(m *mutation) (*outcome, error) {
	j, p := ws.journal, m.place
	if !utf8.ValidString(string(p.real)) {
		return nil, &arc.Error{Code: arc.InvalidPath, Message: "the link's target is not a UTF-8 path, which the journal cannot hold; name another file.", Detail: pathDetail{Path: string(p.path)}}
	}
	if err := j.roll(); err != nil {
		return nil, ws.journalFault(err)
	}
	c, err := ws.announce(m)
	if errors.Is(err, errTooLong) {
		return nil, &arc.Error{Code: arc.InvalidPath, Message: "the path makes too many directories, one in the other; choose a shorter one.", Detail: pathDetail{Path: string(p.path)}}
	}
	if err != nil {
		return nil, ws.journalFault(err)
	}
	out := &outcome{change: c}
	fail := func(err error) (*outcome, error) {
		ws.abort(p, c, "", "")
		return nil, ws.fault(err, p.path)
	}
	if err := makeDirs(p); err != nil {
		return fail(err)
	}
	old, err := openDisplaced(m)
	if err != nil {
		return fail(err)
	}
	defer old.Close()
	var tmp file
	if m.op != Remove {
		if tmp, out.warnings, err = prepare(p, c, m, old); err != nil {
			return fail(err)
		}
	}
	if err := ws.syncIntent(c, m, tmp); err != nil {
		return fail(err)
	}
	if err := ws.swap(out, p); err != nil {
		return nil, err
	}
	if ws.opts.Durability == Full {
		if err := syncDirs(p, len(c.Dirs)); err != nil {
			ws.log.Error("workspace: a change was made but its directory could not be synced", "path", string(p.path), "err", err)
			out.warnings = append(out.warnings, "not_synced")
		}
	}
	if m.op == Remove {
		ws.removeDirs(context.Background(), c)
	}
	if out.open {
		return out, nil
	}
	if err := j.append(&record{Type: typeCommit, ID: c.id, Now: c.afterHash(), Kept: ws.keepLate(out, old)}); err != nil {
		// The change was made; recovery will find that out.
		ws.log.Error("workspace: a change was made but not marked so", "change", c.id, "err", err)
	}
	return out, nil
}

// announce appends the intent.
func (ws *Workspace) announce(m *mutation) (*change, error) {
	p, id := m.place, ws.journal.newID()
	in := &intent{
		Op: m.op, Tool: m.tool, Path: p.path, Real: p.real, Tmp: tempName(id),
		Dirs: m.dirs, UndoOf: m.undoOf, Added: m.added, Removed: m.lost, Origin: originOf(m.origin),
	}
	if m.op != Create {
		in.Before = &version{Hash: hashOf(m.before), Size: int64(len(m.before)), Mode: uint32(p.info.Mode())}
		in.Before.Image, m.packed = ws.journal.image(m.before)
	}
	if m.op != Remove {
		in.After = &version{Hash: hashOf(m.after), Size: int64(len(m.after)), Mode: uint32(m.mode)}
	}
	// What is missing is the tail of the path without its last element.
	names := p.real.elements()
	for i := range p.missing {
		dir := relPath(".")
		for _, name := range names[:len(names)-len(p.missing)+i] {
			dir = dir.join(name)
		}
		in.Dirs = append(in.Dirs, string(dir))
	}
	if err := ws.journal.append(&record{Type: typeIntent, ID: id, intent: in}); err != nil {
		return nil, err
	}
	return ws.journal.byID[id], nil
}

// makeDirs makes the directories above a new file and moves p down into them.
func makeDirs(p *place) error {
	for len(p.missing) > 0 {
		name := p.missing[0]
		switch err := p.dir.mkdir(name, 0o777); {
		case err == nil:
			p.made = append(p.made, name)
		case errors.Is(err, fs.ErrExist):
			p.made = append(p.made, "") // somebody else has made it just now
		default:
			return err
		}
		next, err := p.dir.openDir(name)
		if err != nil {
			return err
		}
		p.above = append(p.above, p.dir)
		p.dir, p.missing = next, p.missing[1:]
	}
	return nil
}

// unmakeDirs takes away what makeDirs has made, if it is empty. It opens nothing,
// so that it works when nothing can be opened.
func (p *place) unmakeDirs() {
	for i := len(p.made) - 1; i >= 0; i-- {
		in := p.dir // which the last one is still in if it could not be opened
		if i < len(p.above) {
			in = p.above[i]
		}
		if p.made[i] == "" || in.remove(p.made[i]) != nil {
			return
		}
	}
}

// syncDirs makes the target's name durable, and those of n new directories above
// it.
func syncDirs(p *place, n int) error {
	err := p.dir.sync()
	for _, d := range p.above[len(p.above)-min(n, len(p.above)):] {
		err = errors.Join(err, d.sync())
	}
	return err
}

// prepare writes the new content beside the target, with its mode, owner and
// attributes. The file is left open for its sync.
func prepare(p *place, c *change, m *mutation, old *displacedFile) (file, []string, error) {
	perm := fs.FileMode(0o600) // private until it has the mode of what it replaces or brings back
	if m.op == Create && m.mode == 0 {
		perm = 0o666 // the process's umask decides
	}
	f, err := p.dir.create(c.Tmp, perm)
	if err != nil {
		return nil, nil, err
	}
	warnings, err := fill(f, p, m, old)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, warnings, nil
}

func fill(f file, p *place, m *mutation, old *displacedFile) (warnings []string, err error) {
	if _, err := f.Write(m.after); err != nil {
		return nil, err
	}
	if m.op == Replace {
		warnings = p.dir.adopt(f, old.file, p.info)
	}
	if m.mode != 0 && (m.op == Create || m.mode != p.info.Mode()) {
		err = f.Chmod(m.mode)
	}
	return warnings, err
}

// syncIntent makes durable, side by side, what the rename rests on: the intent,
// the new content, and the old content if it is a blob. It closes tmp.
func (ws *Workspace) syncIntent(c *change, m *mutation, tmp file) error {
	j := ws.journal
	var syncs []func() error
	if c.Before != nil && c.Before.Image == imageBlob {
		syncs = append(syncs, func() error {
			if m.packed == nil {
				m.packed = j.deflate(m.before)
			}
			taken, err := j.putBlob(c.Before.Hash, m.packed)
			j.segs[len(j.segs)-1].bytes += taken
			return ws.journalFault(err)
		})
	}
	if ws.opts.Durability != Process {
		syncs = append(syncs, func() error { return ws.journalFault(j.sync()) })
		if tmp != nil {
			syncs = append(syncs, tmp.Sync)
		}
	}
	errs := make([]error, len(syncs), len(syncs)+2)
	var wg sync.WaitGroup
	for i, do := range syncs {
		wg.Go(func() { errs[i] = do() })
	}
	wg.Wait()
	if tmp != nil {
		errs = append(errs, tmp.Close())
	}
	if err := errors.Join(errs...); err != nil || ws.opts.Durability == Process {
		return err
	}
	return ws.journalFault(j.writeHead(false))
}

// swap puts the prepared file in the target's place, or takes the target away,
// and makes sure that what it displaced is what the change was based on.
func (ws *Workspace) swap(out *outcome, p *place) error {
	c := out.change
	var err error
	switch c.Op {
	case Create:
		err = p.dir.moveNew(c.Tmp, p.name)
	case Remove:
		err = p.dir.moveNew(p.name, c.Tmp)
	case Replace:
		if err = p.dir.exchange(c.Tmp, p.name); errors.Is(err, errNoExchange) {
			out.swap = "rename"
			return ws.swapByRename(c, p)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		now := look(context.Background(), p, p.name)
		ws.abort(p, c, now.hash, "")
		return ws.racedOr(now, c, p, "", err)
	case err != nil:
		ws.abort(p, c, "", "")
		return ws.fault(err, p.path)
	case c.Op == Create:
		return nil
	}
	displaced := look(context.Background(), p, c.Tmp)
	if displaced.hash == c.beforeHash() && displaced.trouble == "" {
		if err := p.dir.remove(c.Tmp); err != nil {
			ws.log.Error("workspace: the replaced file could not be removed yet", "path", string(p.path), "name", c.Tmp, "err", err)
			out.open = true
		}
		return nil
	}
	return ws.swapBack(c, p, displaced)
}

// racedOr is the race that now, what stands at p, is the outcome of; or the fault of
// the system that only looked like one.
func (ws *Workspace) racedOr(now observed, c *change, p *place, kept string, cause error) error {
	switch {
	case now.err != nil:
		return ws.fault(now.err, p.path)
	case cause != nil && kept == "" && now.hash == c.beforeHash():
		return ws.fault(cause, p.path)
	}
	return &raced{now: now.hash, kept: kept}
}

// raced says that somebody else's change came in between.
type raced struct {
	now  SHA256 // what stands there; empty: nothing
	kept string // the change whose conflict copy the journal keeps
}

func (r *raced) Error() string { return "the file changed at the moment of the change" }

// swapTries is how many versions are followed that somebody saves while one of
// theirs is put back.
const swapTries = 8

// swapBack returns the displaced file, which somebody saved in the moment
// between our look and our exchange. What they save in place of ours meanwhile is
// newer, so it is put back on top.
func (ws *Workspace) swapBack(c *change, p *place, displaced observed) error {
	var err error
	top := displaced.hash
	if c.Op == Replace {
		err = p.dir.exchange(c.Tmp, p.name)
	} else {
		err = p.dir.moveNew(c.Tmp, p.name)
	}
	kept, under := "", c.afterHash()
	left := look(context.Background(), p, c.Tmp)
	for range swapTries {
		if err != nil || !left.there || left.trouble != "" || left.hash == under {
			break
		}
		if err = p.dir.exchange(c.Tmp, p.name); err == nil {
			top, under = left.hash, top
			left = look(context.Background(), p, c.Tmp)
		}
	}
	if left.there && (err != nil || left.hash != c.afterHash()) {
		// Either their file could not go back, or they saved another: what is left is
		// the only copy.
		if kerr := ws.keepConflict(c, p); kerr != nil {
			ws.log.Error("workspace: a conflict copy stays beside its file", "path", string(p.path), "name", c.Tmp, "err", kerr)
			return ws.fault(errors.Join(err, kerr), p.path)
		}
		kept = c.id
	} else if left.there {
		kept = ws.dropOurs(c, p)
	}
	now := look(context.Background(), p, p.name)
	ws.abort(p, c, now.hash, kept)
	return ws.racedOr(now, c, p, kept, displaced.err)
}

func (ws *Workspace) keepConflict(c *change, p *place) error {
	f, err := p.dir.open(c.Tmp)
	if err != nil {
		return err
	}
	defer f.Close()
	return ws.journal.keepFile(c.id, f)
}

// swapByRename replaces the target where two names cannot be exchanged: it looks
// once more, then renames. A version saved in between is lost, which is why the
// result says so.
func (ws *Workspace) swapByRename(c *change, p *place) error {
	now := look(context.Background(), p, p.name)
	if now.hash != c.beforeHash() || now.trouble != "" {
		ws.abort(p, c, now.hash, "")
		return ws.racedOr(now, c, p, "", nil)
	}
	if err := p.dir.replace(c.Tmp, p.name); err != nil {
		ws.abort(p, c, now.hash, "")
		return ws.fault(err, p.path)
	}
	return nil
}

// abort takes back what a change that failed had begun. If its temporary file
// stays, the change stays open, so that the next enter tries again; unless a
// conflict copy was kept, which only the end of the change names.
func (ws *Workspace) abort(p *place, c *change, now SHA256, kept string) {
	err := p.dir.remove(c.Tmp)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	p.unmakeDirs()
	if err == nil || kept != "" {
		err = errors.Join(err, ws.journal.append(&record{Type: typeAbort, ID: c.id, Now: now, Kept: kept}))
	}
	if err != nil {
		ws.log.Error("workspace: a change that failed is not wholly taken back", "change", c.id, "err", err)
	}
}

// restore makes a change that gives p the content and mode of another moment; no
// content removes the file.
func (ws *Workspace) restore(ctx context.Context, p *place, of *change, content []byte, mode fs.FileMode) (*outcome, error) {
	m := &mutation{op: Replace, tool: "host", place: p, after: content, mode: mode, undoOf: of.id}
	if p.info == nil {
		m.op = Create
	} else {
		var err error
		if _, m.before, err = ws.readAll(ctx, p); err != nil {
			return nil, err
		}
	}
	if content == nil {
		m.op, m.dirs = Remove, of.Dirs
	}
	m.added, m.lost = lineChanges(m.before, m.after)
	return ws.commit(m)
}
