package workspace

import (
	"context"
	"sync"

	"github.com/arcseat/arc/workspace/internal/fold"
)

const (
	searchWorkers = 4
	unitFiles     = 64 // of one directory, searched as one piece of work
	unitsAhead    = 8  // that are found and not yet taken
)

// A finding is what a search says of one file, or of what lay before it.
type finding struct {
	path    relPath // empty: no file, counts alone
	what    fileKind
	lines   []match
	scanned int // lines of the file that were looked at

	ignored, unreadable int // entries passed over on the way
}

type fileKind uint8

const (
	isText fileKind = iota
	isBinary
	isUTF16
	isUnreadable
	isGone // it vanished, or is no regular file any more
)

// A searchRun looks through files side by side and hands over what it finds in
// order.
type searchRun struct {
	ws      *Workspace
	matcher *fold.Matcher
	after   spot
	limit   int // matching lines that anybody wants

	// walked is where the walk stood, if it alone was stopped: all before is done.
	walked relPath
}

// run searches p and calls take for each finding, in order, from one goroutine.
// It ends with the error of take, of ctx, or of the walk. None of its goroutines
// outlives it.
func (s *searchRun) run(ctx context.Context, p *place, take func(finding) error) error {
	if !p.info.IsDir() {
		return s.one(ctx, p, take)
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()

	work, order := make(chan *unit), make(chan *unit, unitsAhead)
	var walked relPath
	var walkErr error
	wg.Go(func() {
		defer close(order)
		defer close(work)
		walked, walkErr = s.walk(ctx, p, func(u *unit) error { return u.send(ctx, work, order) })
	})
	for range searchWorkers {
		wg.Go(func() {
			sc := newScanner(s.matcher)
			for u := range work {
				u.search(ctx, s, sc)
			}
		})
	}
	for u := range order {
		<-u.done
		for _, f := range u.findings {
			if err := take(f); err != nil {
				return err
			}
		}
		if u.err != nil {
			return u.err
		}
	}
	s.walked = walked // order is closed, so both are set
	return walkErr
}

// one searches the single file p.
func (s *searchRun) one(ctx context.Context, p *place, take func(finding) error) error {
	if s.after.path != "" && comparePaths(p.path, s.after.path) < 0 {
		return nil
	}
	f, info, err := s.ws.openFile(ctx, p)
	if err != nil {
		return err
	}
	defer f.Close()
	found := finding{path: p.path}
	err = newScanner(s.matcher).file(ctx, bounded(f, info), &found, s.startLine(p.path), s.limit)
	if terr := take(found); terr != nil {
		return terr
	}
	return err
}

// startLine is the line behind which path is searched.
func (s *searchRun) startLine(path relPath) int {
	if path == s.after.path {
		return s.after.line
	}
	return 0
}

// A unit is some files of one directory, and what was passed over before them.
type unit struct {
	dir    branch // nil: there are no files
	at     relPath
	names  []string
	before finding // counts alone

	findings []finding // set when done is closed
	err      error
	done     chan struct{}
}

// send hands u to a worker and to the consumer, in that order: who waits for a
// unit can be sure that somebody has it.
func (u *unit) send(ctx context.Context, work, order chan<- *unit) error {
	for _, c := range []chan<- *unit{work, order} {
		select {
		case c <- u:
		case <-ctx.Done():
			if c == work {
				u.leave()
			}
			return ctx.Err()
		}
	}
	return nil
}

// search looks through u's files. It stops when it alone has all the lines that
// are wanted.
func (u *unit) search(ctx context.Context, s *searchRun, sc *scanner) {
	defer close(u.done)
	defer u.leave()
	u.findings = append(u.findings, u.before)
	lines := 0
	for _, name := range u.names {
		if u.err = ctx.Err(); u.err != nil {
			return
		}
		found := finding{path: u.at.join(name)}
		u.err = sc.named(ctx, u.dir, name, &found, s.startLine(found.path), s.limit-lines)
		u.findings = append(u.findings, found)
		if lines += len(found.lines); u.err != nil || lines >= s.limit {
			return
		}
	}
}

func (u *unit) leave() {
	if u.dir != nil {
		u.dir.Close()
	}
}

// walk makes units of what is to be searched, in order. An error comes with the
// path before which all was sent.
func (s *searchRun) walk(ctx context.Context, p *place, send func(*unit) error) (relPath, error) {
	m := unitMaker{send: send}
	m.walk = walk{ws: s.ws, from: s.after.path, found: m.found, leave: func(relPath) error { return m.flush() }}
	err := m.walk.run(ctx, p)
	if err == nil {
		err = m.flush()
	}
	if err != nil {
		if m.next != nil {
			m.next.leave()
		}
		return m.reached(), err
	}
	return m.reached(), m.counts()
}

// A unitMaker makes units of what a walk finds.
type unitMaker struct {
	walk walk
	send func(*unit) error
	next *unit // under way; nil: no file was found since the last one

	unsent relPath // the first file of the unit that was not sent; empty: there is none
	last   relPath // what was found last

	ignored    int // since then
	unreadable int // told so far
}

func (m *unitMaker) found(e entry) error {
	m.last = e.path()
	switch {
	case e.ignored:
		m.ignored++
		return nil
	case e.mode.IsDir():
		return m.flush()
	case !e.mode.IsRegular():
		return nil
	}
	if m.next == nil {
		m.next = m.unit()
		m.next.dir, m.next.at = e.in.keep(), e.dir
		m.unsent = m.last
	}
	m.next.names = append(m.next.names, e.name)
	if len(m.next.names) == unitFiles {
		return m.flush()
	}
	return nil
}

// unit makes an empty one, which takes the counts along.
func (m *unitMaker) unit() *unit {
	u := &unit{done: make(chan struct{})}
	u.before.ignored, m.ignored = m.ignored, 0
	u.before.unreadable, m.unreadable = m.walk.unreadable-m.unreadable, m.walk.unreadable
	return u
}

// flush sends the unit under way.
func (m *unitMaker) flush() error {
	u := m.next
	if m.next = nil; u == nil {
		return nil
	}
	if err := m.send(u); err != nil {
		return err
	}
	m.unsent = ""
	return nil
}

// reached is the path before which nothing is left to send.
func (m *unitMaker) reached() relPath {
	if m.unsent != "" {
		return m.unsent
	}
	return m.last
}

// counts sends what was passed over behind the last unit.
func (m *unitMaker) counts() error { return m.send(m.unit()) }
