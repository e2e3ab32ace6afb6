package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arcseat/arc"
)

const (
	maxPath  = 4096 // bytes, as PATH_MAX
	maxLinks = 40   // as the kernel
	maxBacks = 100  // each ".." inside of a link's target begins the way anew
)

// A place is where a path leads: a name in an open directory. The directory was
// reached from the project's own handle, element by element, so no link and no
// rename can move it outside.
type place struct {
	path    relPath     // as it was asked for
	real    relPath     // the same without links
	dir     folder      // holds name; the last one that exists if there are missing ones
	name    string      // "." for the project itself
	info    fs.FileInfo // nil: nothing stands there
	missing []string    // directories between dir and name that do not exist
	above   []folder    // directories above dir that a change keeps open
	made    []string    // directories that a change made, the outermost first; "": it was there by then
	git     bool        // in or at .git
}

func (p *place) Close() {
	p.dir.Close()
	for _, d := range p.above {
		d.Close()
	}
}

// linked is the real path if it differs from the path asked for.
func (p *place) linked() string {
	if p.real == p.path {
		return ""
	}
	return string(p.real)
}

// find resolves a path as a model wrote it, which is not to end in a slash.
func (ws *Workspace) find(ctx context.Context, path string) (*place, error) {
	rel, err := ws.parsePath(path, false)
	if err != nil {
		return nil, err
	}
	return ws.resolve(ctx, rel)
}

// resolve follows path from the project's handle, links included. The caller
// closes the place. That nothing stands there is no error; see [place.info].
func (ws *Workspace) resolve(ctx context.Context, path relPath) (*place, error) {
	if err := ws.present(); err != nil {
		return nil, err
	}
	r := route{path: path, todo: path.elements()}
	for r.links <= maxLinks && r.backs <= maxBacks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p, err := ws.walk(&r); err != nil || p != nil {
			return p, err
		}
	}
	return nil, &arc.Error{Code: arc.PathEscape, Message: "the path leads through too many links; name the file itself.", Detail: pathDetail{Path: string(path)}}
}

// A route is the way to a path.
type route struct {
	path  relPath  // as it was asked for
	todo  []string // the elements to walk, with what the links on the way led to
	link  relPath  // the last of them
	links int      // followed so far, and looks that were in vain
	backs int      // ".." gone so far, but for those that a target begins with
}

// present refuses to go on in a folder that is not the project any more: it was
// removed, or another one stands at its path, which is where commands would run.
func (ws *Workspace) present() error {
	if ws.root.at(ws.realDir) {
		return nil
	}
	return &arc.Error{
		Code:    arc.NotFound,
		Message: "the project folder was removed or moved while it was open; tell the operator.",
		Detail:  map[string]string{"kind": "project"},
	}
}

// walk goes down from the root along r. At a link, or at a ".." that a link
// brought, it returns nothing and has put in r what to walk instead.
func (ws *Workspace) walk(r *route) (*place, error) {
	path, todo := r.path, r.todo
	p := &place{path: path, real: ".", dir: keepOpen{ws.root}, name: "."}
	fail := func(err error) (*place, error) {
		p.Close()
		return nil, err
	}
	if len(todo) == 0 {
		info, err := ws.root.lstat(".")
		if err != nil {
			return fail(ws.fault(err, path))
		}
		p.info = info
		return p, nil
	}
	for i, name := range todo {
		if name == ".." {
			if i == 0 {
				return fail(r.escapes())
			}
			r.backs++
			r.todo = slices.Concat(todo[:i-1], todo[i+1:])
			return fail(nil)
		}
		info, err := p.dir.lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !slices.Contains(todo[i:], ".."):
			p.missing, p.name = todo[i:len(todo)-1], todo[len(todo)-1]
			p.real = relPath(strings.Join(todo, "/"))
			p.git = p.git || slices.ContainsFunc(todo[i:], isGitName)
			return p, nil
		case err != nil:
			return fail(ws.fault(err, path))
		case ws.isState(info):
			return fail(&arc.Error{Code: ProtectedPath, Message: "the path leads to the host's own state, which tools do not touch.", Detail: pathDetail{Path: string(path)}})
		case info.Mode()&fs.ModeSymlink != 0:
			return fail(ws.follow(r, p, i))
		}
		p.git = p.git || isGitName(name) || ws.isGit(info)
		p.real = p.real.join(name)
		if i == len(todo)-1 {
			p.name, p.info = name, info
			return p, nil
		}
		if !info.IsDir() {
			return fail(&arc.Error{Code: arc.NotADirectory, Message: fmt.Sprintf("%s is a file, so nothing is below it.", p.real), Detail: pathDetail{Path: string(path)}})
		}
		next, err := p.dir.openDir(name)
		if err != nil {
			return fail(ws.fault(err, path))
		}
		p.dir.Close()
		p.dir = next
		if !next.same(info) {
			if _, err := next.lstat("."); err != nil {
				return fail(ws.fault(err, path)) // it can be listed and not entered
			}
			// Something was renamed under us: what is open is inside the project, but
			// it is not what was looked at. Look again.
			r.links++
			return fail(nil)
		}
	}
	panic("unreachable")
}

// follow puts in r what the link at its element i, which is in p, stands for.
func (ws *Workspace) follow(r *route, p *place, i int) error {
	target, err := p.dir.readlink(r.todo[i])
	if err != nil {
		return ws.fault(err, p.path)
	}
	r.links++
	r.link = p.real.join(r.todo[i])
	base := r.todo[:i]
	if filepath.IsAbs(target) {
		rel, ok := ws.inside(target)
		if !ok {
			return r.escapes()
		}
		base, target = nil, rel
	}
	names := strings.FieldsFunc(filepath.ToSlash(target), func(r rune) bool { return r == '/' })
	names = slices.DeleteFunc(names, func(n string) bool { return n == "." })
	// What is before the link holds no link itself, so a leading ".." is its parent.
	// One behind another name waits for walk: that name may be a link.
	for len(names) > 0 && names[0] == ".." {
		if len(base) == 0 {
			return r.escapes()
		}
		base, names = base[:len(base)-1], names[1:]
	}
	r.todo = slices.Concat(base, names, r.todo[i+1:])
	return nil
}

func (r *route) escapes() error {
	return &arc.Error{
		Code:    arc.PathEscape,
		Message: fmt.Sprintf("the link %s leads out of the project; name a file inside it.", r.link),
		Detail:  pathDetail{Path: string(r.path)},
	}
}

// keepOpen lends a folder that somebody else closes.
type keepOpen struct{ folder }

func (keepOpen) Close() error { return nil }
