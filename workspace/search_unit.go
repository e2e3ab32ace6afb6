package workspace

import (
	"context"
	"io"
	"sync"
)

// A unit is some files that follow each other in a walk.
type unit struct {
	number   int
	findings []finding // without a name, the last may be: counts behind the last file
	hits     hits      // of all of them
	in       []branch  // of each finding's directory
	kept     []branch  // to be closed
	err      error
}

// search looks through u's files. It stops when it alone has all the lines that
// are wanted.
func (u *unit) search(ctx context.Context, s *searchRun, sc *scanner) {
	defer u.leave()
	sc.into = &u.hits
	for i := range u.in {
		found := &u.findings[i]
		if u.err = ctx.Err(); u.err != nil {
			u.findings = u.findings[:i]
			return
		}
		u.err = sc.named(ctx, u.in[i], found, s.startLine(found), s.limit-len(u.hits.at))
		if u.err != nil || len(u.hits.at) >= s.limit {
			u.findings = u.findings[:i+1]
			return
		}
	}
}

func (u *unit) leave() {
	for _, b := range u.kept {
		b.Close()
	}
	clear(u.kept)
	u.kept = u.kept[:0]
}

// emptied is u with nothing in it, and the room that it has.
func (u *unit) emptied() *unit {
	clear(u.findings)
	clear(u.in)
	u.hits.forget()
	*u = unit{findings: u.findings[:0], hits: u.hits, in: u.in[:0], kept: u.kept[:0]}
	return u
}

// A unitMaker makes units of what a walk finds.
type unitMaker struct {
	mu   sync.Mutex
	walk walk
	made int
	end  bool
	err  error // why the walk ended before its end

	unsent relPath // the first file of the unit that was not made; empty: there is none
	last   entry   // what was found last

	before     finding // counts since the last file
	unreadable int     // told so far
}

// next makes u, which is empty, the next unit; false: there is none.
func (m *unitMaker) next(ctx context.Context, u *unit) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.end {
		return false
	}
	u.number = m.made
	for len(u.in) < unitFiles {
		e, err := m.walk.next(ctx)
		if err == io.EOF {
			m.end = true
			u.findings = append(u.findings, m.counts())
			break
		}
		if err != nil {
			m.end, m.err = true, err
			if len(u.in) > 0 {
				m.unsent = u.findings[0].path()
			}
			u.leave()
			return false
		}
		m.add(u, e)
	}
	m.made++
	return true
}

// add puts e into u if it is a file to be searched.
func (m *unitMaker) add(u *unit, e entry) {
	switch {
	case e.left:
		return
	case e.ignored:
		m.before.ignored++
	case e.mode.IsRegular():
		if len(u.kept) == 0 || u.in[len(u.in)-1] != e.in {
			u.kept = append(u.kept, e.in.keep())
		}
		found := m.counts()
		found.at, found.name = e.dir, e.name
		u.findings = append(u.findings, found)
		u.in = append(u.in, e.in)
	}
	m.last = e
}

// counts is what was passed over since it was asked last.
func (m *unitMaker) counts() finding {
	f := m.before
	f.unreadable, m.unreadable = m.walk.unreadable-m.unreadable, m.walk.unreadable
	m.before = finding{}
	return f
}

// reached is the path before which nothing is left to search.
func (m *unitMaker) reached() relPath {
	switch {
	case m.unsent != "":
		return m.unsent
	case m.last.name == "":
		return ""
	}
	return m.last.path()
}
