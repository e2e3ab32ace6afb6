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

// resolve follows path from the project's handle, links included. The caller
// closes the place. That nothing stands there is no error; see [place.info].
func (ws *Workspace) resolve(ctx context.Context, path relPath) (*place, error) {
	todo, links := path.elements(), 0
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, rest, linked, err := ws.walk(path, todo)
		if err != nil || p != nil {
			return p, err
		}
		if linked {
			links++
		}
		if links > maxLinks {
			return nil, &arc.Error{Code: arc.PathEscape, Message: "the path leads through too many links; name the file itself.", Detail: pathDetail{Path: string(path)}}
		}
		todo = rest
	}
}

// walk goes down from the root along todo. At a link, or at a ".." that a link
// brought, it returns the elements to walk instead.
func (ws *Workspace) walk(path relPath, todo []string) (p *place, rest []string, linked bool, err error) {
	p = &place{path: path, real: ".", dir: keepOpen{ws.root}, name: "."}
	fail := func(err error) (*place, []string, bool, error) {
		p.Close()
		return nil, nil, false, err
	}
	instead := func(rest []string, linked bool) (*place, []string, bool, error) {
		p.Close()
		return nil, rest, linked, nil
	}
	if len(todo) == 0 {
		if p.info, err = ws.root.lstat("."); err != nil {
			return fail(ws.fault(err, path))
		}
		return p, nil, false, nil
	}
	for i, name := range todo {
		if name == ".." {
			if i == 0 {
				return fail(escapes(p, path))
			}
			return instead(slices.Concat(todo[:i-1], todo[i+1:]), false)
		}
		info, err := p.dir.lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !slices.Contains(todo[i:], ".."):
			p.missing, p.name = todo[i:len(todo)-1], todo[len(todo)-1]
			p.real = relPath(strings.Join(todo, "/"))
			p.git = p.git || slices.ContainsFunc(todo[i:], isGitName)
			return p, nil, false, nil
		case err != nil:
			return fail(ws.fault(err, path))
		case ws.isState(info):
			return fail(&arc.Error{Code: ProtectedPath, Message: "the path leads to the host's own state, which tools do not touch.", Detail: pathDetail{Path: string(path)}})
		case info.Mode()&fs.ModeSymlink != 0:
			rest, err := ws.follow(p, todo[:i], name, todo[i+1:])
			if err != nil {
				return fail(err)
			}
			return instead(rest, true)
		}
		p.git = p.git || isGitName(name) || ws.isGit(info)
		p.real = p.real.join(name)
		if i == len(todo)-1 {
			p.name, p.info = name, info
			return p, nil, false, nil
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
			return instead(todo, true)
		}
	}
	panic("unreachable")
}

// follow returns the elements that stand for before/link/rest.
func (ws *Workspace) follow(p *place, before []string, link string, rest []string) ([]string, error) {
	target, err := p.dir.readlink(link)
	if err != nil {
		return nil, ws.fault(err, p.path)
	}
	base := before
	if filepath.IsAbs(target) {
		rel, ok := ws.inside(target)
		if !ok {
			return nil, escapes(p, p.path)
		}
		base, target = nil, rel
	}
	names := strings.FieldsFunc(filepath.ToSlash(target), func(r rune) bool { return r == '/' })
	names = slices.DeleteFunc(names, func(n string) bool { return n == "." })
	// What is before the link holds no link itself, so a leading ".." is its parent.
	// One behind another name waits for walk: that name may be a link.
	for len(names) > 0 && names[0] == ".." {
		if len(base) == 0 {
			return nil, escapes(p, p.path)
		}
		base, names = base[:len(base)-1], names[1:]
	}
	return slices.Concat(base, names, rest), nil
}

func escapes(p *place, path relPath) error {
	return &arc.Error{
		Code:    arc.PathEscape,
		Message: fmt.Sprintf("a link on the way, in %s, leads out of the project; name a file inside it.", p.real),
		Detail:  pathDetail{Path: string(path)},
	}
}

// keepOpen lends a folder that somebody else closes.
type keepOpen struct{ folder }

func (keepOpen) Close() error { return nil }
