package workspace

import (
	"context"
	"io"
	"slices"

	"github.com/arcseat/arc/workspace/internal/ignore"
)

// rulesAt are the rules above a directory and its name there.
type rulesAt struct {
	up   *ignore.Rules
	name string
}

// enter reads the directory's own files of patterns.
func (r rulesAt) enter(d branch, leaves []leaf) *ignore.Rules {
	if r.up == nil {
		return nil
	}
	var files []ignore.Patterns
	for _, name := range [...]string{".gitignore", ".arcignore"} {
		i, ok := slices.BinarySearchFunc(leaves, leaf{name: name}, compareLeaves)
		if ok && leaves[i].mode.IsRegular() { // git follows no link here either
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
	b, err := io.ReadAll(io.LimitReader(f, ignore.MaxFile+1))
	if err != nil {
		return nil
	}
	return ignore.Parse(b)
}

// startWalk opens the directory at p and finds the rules above it. If p itself
// is ignored or is in .git, there are none: whoever names a path wants to see it.
func (ws *Workspace) startWalk(ctx context.Context, p *place) (branch, rulesAt, error) {
	at := ws.rootBranch()
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
			entries, err := at.readDir(nil)
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
	at := ws.rootBranch()
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
