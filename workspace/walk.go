package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/arcseat/arc/workspace/internal/ignore"
)

// A branch is a directory as a walk needs it. The one here stands on a folder
// and works on every system; a faster one can take its place.
type branch interface {
	readDir() ([]fs.DirEntry, error) // sorted by name; may return both
	enter(name string) (branch, error)
	open(name string) (file, error) // to read; never waits on a pipe
	same(info fs.FileInfo) bool
	keep() branch // takes one more Close
	Close() error
}

type folderBranch struct {
	folder
	users atomic.Int32
}

func newFolderBranch(d folder) branch {
	b := &folderBranch{folder: d}
	b.users.Store(1)
	return b
}

func (b *folderBranch) enter(name string) (branch, error) {
	d, err := b.openDir(name)
	if err != nil {
		return nil, err
	}
	return newFolderBranch(d), nil
}

func (b *folderBranch) keep() branch {
	b.users.Add(1)
	return b
}

func (b *folderBranch) Close() error {
	if b.users.Add(-1) > 0 {
		return nil
	}
	return b.folder.Close()
}

// maxDepth bounds how many directories a walk holds open.
const maxDepth = 256

// errEnough ends a walk early.
var errEnough = errors.New("the walk has what it wants")

// A walk goes through directories in path order: by name, byte for byte, and
// what is in a directory before its next sibling, so that "/" is the lowest of
// bytes. It follows no link, and passes over .git, the journal and the temporary
// files of changes in silence. What it finds it hands to its three funcs, any of
// which may end it by an error; nil ones are left out.
type walk struct {
	ws      *Workspace
	from    relPath // entries before it are passed over; empty: none
	shallow bool    // directories are told of, not entered

	// found gets each entry before what is below it.
	found func(e entry) error
	// leave is called behind the last entry of a directory that was entered, but
	// for the first.
	leave func(path relPath) error

	unreadable int // directories
}

// An entry is one name in a directory of a walk.
type entry struct {
	in      branch // open until the walk leaves the directory
	dir     relPath
	name    string
	mode    fs.FileMode // its type bits
	ignored bool        // a directory that is ignored is not entered
}

func (e entry) path() relPath { return e.dir.join(e.name) }

// run walks the directory at p.
func (w *walk) run(ctx context.Context, p *place) error {
	d, rules, err := w.ws.startWalk(ctx, p)
	if err != nil {
		return err
	}
	defer d.Close()
	return w.visit(ctx, d, p.path, rules, 0)
}

// visit goes through d, whose path is at. rules are those above d's own files.
func (w *walk) visit(ctx context.Context, d branch, at relPath, rules rulesAt, depth int) error {
	entries, err := d.readDir()
	if err != nil {
		w.unreadable++
	}
	here := rules.enter(d, entries)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, mode := e.Name(), e.Type()
		if mayBeGit(name) && isGitName(name) || isTempName(name) {
			continue
		}
		found := entry{in: d, dir: at, name: name, mode: mode, ignored: here.Ignored(name, mode.IsDir())}
		path := found.path()
		past := w.from == "" || comparePaths(path, w.from) >= 0
		if mode.IsDir() && !found.ignored {
			if !past && !within(w.from, path) {
				continue
			}
			if err := w.enter(ctx, found, past, rulesAt{here, name}, depth+1); err != nil {
				return err
			}
			continue
		}
		if past && w.found != nil {
			if err := w.found(found); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter goes into the directory e.
func (w *walk) enter(ctx context.Context, e entry, tell bool, rules rulesAt, depth int) error {
	var next branch
	err := errors.New("too deep")
	if depth < maxDepth && len(e.path()) <= maxPath { // nobody could name what is below
		next, err = e.in.enter(e.name)
	}
	if err == nil {
		defer next.Close()
		if slices.ContainsFunc(w.ws.state, next.same) || w.ws.git != nil && next.same(w.ws.git) {
			return nil
		}
	}
	if tell && w.found != nil {
		if err := w.found(e); err != nil {
			return err
		}
	}
	if w.shallow {
		return nil
	}
	if err != nil {
		w.unreadable++
	} else if err := w.visit(ctx, next, e.path(), rules, depth); err != nil {
		return err
	}
	if w.leave != nil {
		return w.leave(e.path())
	}
	return nil
}

// comparePaths compares in the order of a walk.
func comparePaths(a, b relPath) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	switch {
	case n == len(a) || n == len(b):
		return len(a) - len(b)
	case a[n] == '/':
		return -1
	case b[n] == '/':
		return 1
	}
	return int(a[n]) - int(b[n])
}

// within reports whether path is dir or below it.
func within(path, dir relPath) bool {
	rest, ok := strings.CutPrefix(string(path), string(dir))
	return dir == "." || ok && (rest == "" || rest[0] == '/')
}

// mayBeGit spares most names the whole test of isGitName: no other start becomes
// a "." or a "g".
func mayBeGit(name string) bool {
	return name[0] == '.' || name[0]|0x20 == 'g' || name[0] >= 0x80
}

// rulesAt are the rules above a directory and its name there.
type rulesAt struct {
	up   *ignore.Rules
	name string
}

// enter reads the directory's own files of patterns.
func (r rulesAt) enter(d branch, entries []fs.DirEntry) *ignore.Rules {
	if r.up == nil {
		return nil
	}
	var files []ignore.Patterns
	for _, name := range []string{".gitignore", ".arcignore"} {
		i, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
			return strings.Compare(e.Name(), name)
		})
		if ok && entries[i].Type().IsRegular() { // git follows no link here either
			files = append(files, readPatterns(d, name))
		}
	}
	return r.up.Enter(r.name, files...)
}

// readPatterns reads a file of patterns; one that cannot be read has none.
func readPatterns(d branch, name string) ignore.Patterns {
	f, err := d.open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, ignore.MaxFile+1))
	if err != nil {
		return nil
	}
	return ignore.Parse(b)
}

// startWalk opens the directory at p and finds the rules above it. If p itself
// is ignored or is in .git, there are none: whoever names a path wants to see it.
func (ws *Workspace) startWalk(ctx context.Context, p *place) (branch, rulesAt, error) {
	at := newFolderBranch(keepOpen{ws.root})
	fail := func(err error) (branch, rulesAt, error) {
		at.Close()
		return nil, rulesAt{}, ws.fault(err, p.path)
	}
	rules := rulesAt{up: (&ignore.Rules{}).Enter("", ws.excludes())}
	for _, name := range p.real.elements() {
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		if rules.up != nil {
			entries, err := at.readDir()
			if err != nil {
				entries = nil
			}
			here := rules.enter(at, entries)
			if isGitName(name) || here.Ignored(name, true) {
				here = nil
			}
			rules = rulesAt{here, name}
		}
		next, err := at.enter(name)
		if err != nil {
			return fail(err)
		}
		at.Close()
		at = next
	}
	return at, rules, nil
}

// excludes reads .git/info/exclude.
func (ws *Workspace) excludes() ignore.Patterns {
	at := newFolderBranch(keepOpen{ws.root})
	for _, name := range []string{".git", "info"} {
		next, err := at.enter(name)
		at.Close()
		if err != nil {
			return nil
		}
		at = next
	}
	defer at.Close()
	return readPatterns(at, "exclude")
}
