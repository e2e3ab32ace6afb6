package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/arcseat/arc/workspace/internal/ignore"
)

// maxDepth bounds how many directories a walk holds open.
const maxDepth = 256

// A walk goes through directories in path order: by name, byte for byte, and
// what is in a directory before its next sibling, so that "/" is the lowest of
// bytes. It follows no link, and passes over .git, the journal and the temporary
// files of changes in silence.
type walk struct {
	ws      *Workspace
	from    relPath // entries before it are passed over; empty: none
	shallow bool    // directories are told of, not entered

	unreadable int // directories so far
	stack      []level
	spare      [][]leaf // of directories that were left, to be filled anew
	paths      arena    // of directories
}

// A level is a directory that a walk is in.
type level struct {
	in     branch
	at     relPath
	above  rulesAt // the rules above in's own files
	read   bool    // leaves and rules are set
	leaves []leaf
	next   int
	rules  *ignore.Rules
}

// An entry is one name in a directory of a walk.
type entry struct {
	in      branch // open until the walk leaves the directory
	dir     relPath
	name    string
	full    relPath     // of a directory: its path
	mode    fs.FileMode // its type bits
	ignored bool        // a directory that is ignored is not entered
	left    bool        // the directory was told of before, and all that is in it; it is no new entry
}

func (e entry) path() relPath {
	if e.full != "" {
		return e.full
	}
	return e.dir.join(e.name)
}

// start begins at the directory p. The caller ends the walk by stop.
func (w *walk) start(ctx context.Context, p *place) error {
	d, rules, err := w.ws.startWalk(ctx, p)
	if err == nil {
		w.stack = append(w.stack, level{in: d, at: p.path, above: rules})
	}
	return err
}

// stop closes the directories that the walk is in.
func (w *walk) stop() {
	for _, l := range w.stack {
		l.in.Close()
	}
	w.stack = nil
}

// next returns the next entry, a directory before what is in it and once more,
// left, behind that; io.EOF is behind the last. Its other error is that of ctx.
func (w *walk) next(ctx context.Context) (entry, error) {
	for len(w.stack) > 0 {
		if err := ctx.Err(); err != nil {
			return entry{}, err
		}
		l := &w.stack[len(w.stack)-1]
		if !l.read {
			w.read(l)
		}
		if l.next == len(l.leaves) {
			e := entry{name: l.above.name, full: l.at, left: true, mode: fs.ModeDir}
			l.in.Close()
			w.spare = append(w.spare, l.leaves[:0])
			if w.stack = w.stack[:len(w.stack)-1]; len(w.stack) > 0 {
				e.dir = w.stack[len(w.stack)-1].at
				return e, nil
			}
			break
		}
		leaf := l.leaves[l.next]
		l.next++
		if isHidden(leaf.name) {
			continue
		}
		e := entry{in: l.in, dir: l.at, name: leaf.name, mode: leaf.mode, ignored: l.rules.Ignored(leaf.name, leaf.mode.IsDir())}
		past := w.from == "" || comparePaths(e.path(), w.from) >= 0
		if e.mode.IsDir() && !e.ignored {
			e.full = w.paths.join(e.dir, e.name)
			if !past && !within(w.from, e.full) {
				continue
			}
			if !w.enter(e, rulesAt{l.rules, e.name}) {
				continue
			}
		}
		if past {
			return e, nil
		}
	}
	return entry{}, io.EOF
}

func (w *walk) read(l *level) {
	var into []leaf
	if n := len(w.spare); n > 0 {
		into, w.spare = w.spare[n-1], w.spare[:n-1]
	}
	leaves, err := l.in.readDir(into)
	if err != nil {
		w.unreadable++
	}
	l.read, l.leaves, l.rules = true, leaves, l.above.enter(l.in, leaves)
}

// enter goes into the directory e, if it may. It reports false for one that no
// tool shows.
func (w *walk) enter(e entry, rules rulesAt) bool {
	next := level{at: e.full, above: rules}
	err := errTooDeep
	if len(w.stack) < maxDepth && len(e.full) <= maxPath { // nobody could name what is below
		next.in, err = e.in.enter(e.name)
	}
	if err != nil {
		if w.shallow {
			return true
		}
		w.unreadable++
		next.in, next.read = nothing{}, true
	} else if slices.ContainsFunc(w.ws.state, next.in.same) || w.ws.git != nil && next.in.same(w.ws.git) {
		next.in.Close()
		return false
	}
	if w.shallow {
		next.in.Close()
		return true
	}
	w.stack = append(w.stack, next)
	return true
}

var errTooDeep = errors.New("too deep")

// nothing is what a walk finds in a directory that it could not enter.
type nothing struct{ branch }

func (nothing) Close() error { return nil }

// isHidden reports whether no walk shows name.
func isHidden(name string) bool {
	return mayBeGit(name) && isGitName(name) || isTempName(name)
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
// ".g" or "gi".
func mayBeGit(name string) bool {
	switch {
	case name[0] >= 0x80:
		return true
	case len(name) < 2:
		return false
	case name[0] == '.':
		return name[1]|0x20 == 'g' || name[1] >= 0x80
	}
	return name[0]|0x20 == 'g' && (name[1]|0x20 == 'i' || name[1] >= 0x80)
}
