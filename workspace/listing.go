package workspace

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/arcseat/arc"
)

// A listing is a whole list, of names alone. There may be very many, so that they
// stand in memory without a pointer to each.
type listing struct {
	entries    []listed
	names      [][]byte  // pieces, each with names of entries one behind the other
	dirs       []relPath // that the entries are in
	ignored    int
	unreadable int
	resolved   string
	capped     bool // there are more
}

// A listed is one entry.
type listed struct {
	piece, start, size uint16 // of its name: where in names
	mark               mark
	dir                int32 // in dirs
}

// add puts an entry behind the others.
func (l *listing) add(dir relPath, name string, m mark) {
	if n := len(l.dirs); n == 0 || l.dirs[n-1] != dir {
		l.dirs = append(l.dirs, dir)
	}
	last := len(l.names) - 1
	if last < 0 || cap(l.names[last])-len(l.names[last]) < len(name) {
		last++
		l.names = append(l.names, make([]byte, 0, max(len(name), min(leastPiece<<min(last, 8), mostPiece))))
	}
	piece := &l.names[last]
	if len(l.entries) == cap(l.entries) { // append alone would copy them five times
		l.entries = slices.Grow(l.entries, max(len(l.entries), 64))
	}
	l.entries = append(l.entries, listed{uint16(last), uint16(len(*piece)), uint16(len(name)), m, int32(len(l.dirs) - 1)})
	*piece = append(*piece, name...)
}

// at is entry i.
func (l *listing) at(i int) (dir relPath, name string, m mark) {
	e := l.entries[i]
	return l.dirs[e.dir], string(l.names[e.piece][e.start:][:e.size]), e.mark
}

// A mark is what stands behind a name.
type mark uint8

const (
	noMark mark = iota
	markDir
	markIgnored // a directory
	markLink
	markOther
)

func (m mark) String() string { return [...]string{"", "/", "/ (ignored)", "@", "!"}[m] }

// listing walks, and stops at most entries or when the budget is spent.
func (ws *Workspace) listing(ctx context.Context, key listKey, most int) (*listing, error) {
	timed, cancel := context.WithTimeout(ctx, walkBudget)
	defer cancel()
	return ws.listingIn(ctx, timed, key, most)
}

// listingIn is listing. ctx is the caller's, timed ends earlier.
func (ws *Workspace) listingIn(ctx, timed context.Context, key listKey, most int) (*listing, error) {
	p, err := ws.resolve(ctx, key.path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	switch {
	case p.info == nil:
		return nil, ws.notFound(ctx, p.path)
	case !p.info.IsDir():
		return nil, &arc.Error{
			Code:    arc.NotADirectory,
			Message: fmt.Sprintf("%s is not a directory; read it, or list the directory that it is in.", p.path),
			Next:    &arc.Next{Tool: "workspace_list", Arguments: ListArgs{Path: path.Dir(string(p.path)), Recursive: new(false)}},
			Detail:  pathDetail{Path: string(p.path)},
		}
	}
	l := &listing{resolved: p.linked()}
	var empty int // entries when the innermost open directory began
	var begun []int
	w := walk{ws: ws, shallow: !key.recursive}
	defer w.stop()
	err = w.start(timed, p)
	for err == nil {
		var e entry
		if e, err = w.next(timed); err != nil {
			break
		}
		if e.left {
			if len(l.entries) == empty {
				l.add(e.dir, e.name, markDir)
			}
			empty, begun = begun[len(begun)-1], begun[:len(begun)-1]
			continue
		}
		if len(l.entries) >= most {
			l.capped = true
			break
		}
		switch {
		case e.ignored && w.shallow, !e.ignored && !e.mode.IsDir():
			l.add(e.dir, e.name, markOf(e.mode))
		case e.ignored && e.mode.IsDir():
			l.ignored++
			l.add(e.dir, e.name, markIgnored)
		case e.ignored:
			l.ignored++
		case w.shallow:
			l.add(e.dir, e.name, markDir)
		default:
			begun = append(begun, empty)
			empty = len(l.entries)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && timed.Err() != nil:
		l.capped = true
	case err != nil && err != io.EOF:
		return nil, err
	}
	l.unreadable = w.unreadable
	return l, nil
}

func markOf(mode fs.FileMode) mark {
	switch {
	case mode.IsRegular():
		return noMark
	case mode.IsDir():
		return markDir
	case mode&fs.ModeSymlink != 0:
		return markLink
	}
	return markOther
}
