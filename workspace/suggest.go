package workspace

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/arcseat/arc"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxSuggestions = 3
	maxSuggestWalk = 20_000 // entries looked at
)

type notFoundDetail struct {
	Kind        string   `json:"kind"`
	Path        string   `json:"path"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// notFound is the error for a path where nothing stands. It suggests names in
// that place: those that differ only in case, Unicode form, kind of space or
// quote, then those a slip of the finger away, then those that differ behind their
// last dot. Then come files of the same name elsewhere, then names in that place
// that are two slips away. The path itself is never changed to one of them: that
// could open another file than the one named.
func (ws *Workspace) notFound(ctx context.Context, p relPath) error {
	s := suggester{ws: ws, want: p.elements(), left: maxSuggestWalk}
	s.here(ctx, p)
	for like := sameSpelling; like < twoSlips; like++ {
		s.add(s.near[like]...)
	}
	if len(s.found) < maxSuggestions {
		s.elsewhere(ctx)
	}
	s.add(s.near[twoSlips]...)
	if err := ctx.Err(); err != nil {
		return err
	}
	e := &arc.Error{
		Code:    arc.NotFound,
		Message: fmt.Sprintf("%s does not exist; list its directory to see what does.", p),
		Detail:  notFoundDetail{Kind: "file", Path: string(p), Suggestions: s.found},
	}
	if len(s.found) > 0 {
		e.Message = fmt.Sprintf("%s does not exist; see whether one of the suggestions is meant.", p)
	} else {
		e.Next = &arc.Next{Tool: "workspace_list", Arguments: ListArgs{Path: string(ws.lastDir(ctx, p)), Recursive: new(false)}}
	}
	return e
}

// lastDir is the deepest directory on the way to p that exists.
func (ws *Workspace) lastDir(ctx context.Context, p relPath) relPath {
	for names := p.elements(); len(names) > 1; {
		names = names[:len(names)-1]
		dir := relPath(strings.Join(names, "/"))
		if at, err := ws.resolve(ctx, dir); err == nil {
			is := at.info != nil && at.info.IsDir()
			at.Close()
			if is {
				return dir
			}
		}
	}
	return "."
}

// A suggester collects what a path may have meant.
type suggester struct {
	ws    *Workspace
	want  []string
	near  [unlike][]relPath // what is in the place that is meant, at most maxSuggestions each
	found []string
	left  int // entries that may still be looked at
}

// add keeps paths, but what was asked for: a link that leads nowhere.
func (s *suggester) add(paths ...relPath) {
	for _, p := range paths {
		if len(s.found) < maxSuggestions && string(p) != strings.Join(s.want, "/") && !slices.Contains(s.found, string(p)) {
			s.found = append(s.found, string(p))
		}
	}
}

// here looks where p leads, each directory on the way spelled as it is or alike. It
// begins behind the longest part of p that exists, links included.
func (s *suggester) here(ctx context.Context, p relPath) {
	start := s.ws.lastDir(ctx, p)
	at, err := s.ws.resolve(ctx, start)
	if err != nil {
		return
	}
	defer at.Close()
	d, _, err := s.ws.startWalk(ctx, at)
	if err != nil {
		return
	}
	defer d.Close()
	s.descend(d, start, s.want[len(start.elements()):])
}

func (s *suggester) descend(d branch, at relPath, want []string) {
	entries, _ := d.readDir(nil)
	if s.left -= len(entries); s.left < 0 || len(want) == 0 {
		return
	}
	key := spelling(want[0])
	for _, e := range entries {
		name := e.name
		like := likenessOf(spelling(name), key)
		last := len(want) == 1
		switch {
		case like == unlike, isTempName(name), like > sameSpelling && (!last || isGitName(name)):
		case last && len(s.near[like]) == maxSuggestions:
		case !e.mode.IsDir():
			if last {
				s.near[like] = append(s.near[like], at.join(name))
			}
		default:
			next, err := d.enter(name)
			if err != nil {
				continue
			}
			switch {
			case slices.ContainsFunc(s.ws.state, next.same):
			case last:
				s.near[like] = append(s.near[like], at.join(name))
			default:
				s.descend(next, at.join(name), want[1:])
			}
			next.Close()
		}
	}
}

// elsewhere looks for the same file name in the whole project, without what is
// ignored.
func (s *suggester) elsewhere(ctx context.Context) {
	root, err := s.ws.resolve(ctx, ".")
	if err != nil {
		return
	}
	defer root.Close()
	base := path.Base(strings.Join(s.want, "/"))
	key := spelling(base)
	w := walk{ws: s.ws}
	defer w.stop()
	if err := w.start(ctx, root); err != nil {
		return
	}
	for s.left > 0 && len(s.found) < maxSuggestions {
		e, err := w.next(ctx)
		if err != nil {
			return
		}
		if e.left {
			continue
		}
		s.left--
		if !e.ignored && (e.name == base || spelling(e.name) == key) {
			s.add(e.path())
		}
	}
}

// spelling is equal for names that look the same: Unicode form, case, kind of
// space and kind of quote set aside.
func spelling(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch r {
		case '‘', '’', '‚', '‛', '′', '`', '´':
			return '\''
		case '“', '”', '„', '‟', '″':
			return '"'
		}
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, norm.NFC.String(name))
	return norm.NFC.String(cases.Fold().String(plain))
}
