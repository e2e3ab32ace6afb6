package workspace

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/arcseat/arc/workspace/internal/fold"
)

const (
	searchWorkers = 4
	unitFiles     = 64 // searched as one piece of work
	unitsAhead    = 8  // that are begun and not yet taken
)

// errEnough ends a search early.
var errEnough = errors.New("the search has what it wants")

// A finding is what a search says of one file, and of what lay before it.
type finding struct {
	at      relPath
	name    string // empty: no file, counts alone
	what    fileKind
	hits    hits // until it is taken
	scanned int  // lines of the file that were looked at
	// uncounted: there are more, all looked at. To number the lines behind the last
	// match takes time, and only who stops just there wants to know.
	uncounted bool

	ignored, unreadable int // entries passed over on the way
}

func (f *finding) path() relPath { return f.at.join(f.name) }

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
	workers int // at most, who called among them; zero: one for each processor, and searchWorkers at most

	// walked is where the walk stood, if it alone was stopped: all before is done.
	walked relPath
}

// run searches p and calls take for each finding, in order, one at a time; its
// matches are overwritten afterwards. It ends with the error of take, of ctx, or of
// the walk. None of its goroutines outlives it.
func (s *searchRun) run(ctx context.Context, p *place, take func(*finding) error) error {
	if !p.info.IsDir() {
		return s.one(ctx, p, take)
	}
	if s.workers == 0 {
		s.workers = min(searchWorkers, runtime.GOMAXPROCS(0))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := crew{searchRun: s, ctx: ctx, cancel: cancel, take: take, done: map[int]*unit{}}
	c.units.walk = walk{ws: s.ws, from: s.after.path}
	defer c.units.walk.stop()
	c.room.L = &c.mu
	if err := c.units.walk.start(ctx, p); err != nil {
		return err
	}
	c.work(true)
	c.helpers.Wait()
	if c.err != nil {
		return c.err
	}
	s.walked = c.units.reached()
	return c.units.err
}

// one searches the single file p.
func (s *searchRun) one(ctx context.Context, p *place, take func(*finding) error) error {
	if s.after.path != "" && comparePaths(p.path, s.after.path) < 0 {
		return nil
	}
	f, info, err := s.ws.openFile(ctx, p)
	if err != nil {
		return err
	}
	defer f.Close()
	found := finding{at: ".", name: string(p.path)}
	err = newScanner(s.matcher).file(ctx, bounded(f, info), &found, s.startLine(&found), s.limit)
	if terr := take(&found); terr != nil {
		return terr
	}
	return err
}

// startLine is the line behind which a file is searched.
func (s *searchRun) startLine(f *finding) int {
	if s.after.line > 0 && f.path() == s.after.path {
		return s.after.line
	}
	return 0
}

// A crew searches a tree unit by unit. Who called begins alone, since most
// searches end soon; if this one does not, helpers join. Each of them takes the
// next unit, searches it, and hands over what is due by then, its own unit or
// others' that waited for it.
type crew struct {
	*searchRun
	ctx     context.Context
	cancel  context.CancelFunc
	helpers sync.WaitGroup

	units unitMaker // has a lock of its own, which is never held with mu

	mu   sync.Mutex
	room sync.Cond     // due has grown, or the search has ended
	done map[int]*unit // searched, and not yet taken
	due  int           // the unit that is taken next
	free []*unit       // taken, to be filled anew
	take func(*finding) error
	err  error // why the search ended before its end
}

// work searches until nothing is left.
func (c *crew) work(first bool) {
	sc := newScanner(c.matcher)
	for {
		u := c.next()
		if u == nil {
			return
		}
		u.search(c.ctx, c.searchRun, sc)
		c.deliver(u)
		if first {
			first = false
			for range c.workers - 1 {
				c.helpers.Go(func() { c.work(false) })
			}
		}
	}
}

// next is the next unit to search, or nil. It waits while too much is under way
// already.
func (c *crew) next() *unit {
	c.mu.Lock()
	for c.err == nil && len(c.done) >= unitsAhead {
		c.room.Wait()
	}
	ended := c.err != nil
	u := &unit{}
	if n := len(c.free); n > 0 {
		u, c.free = c.free[n-1], c.free[:n-1]
	}
	c.mu.Unlock()
	if ended || !c.units.next(c.ctx, u) {
		return nil
	}
	return u
}

// deliver takes what is due.
func (c *crew) deliver(u *unit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[u.number] = u
	for c.err == nil {
		u, ok := c.done[c.due]
		if !ok {
			break
		}
		delete(c.done, c.due)
		c.due++
		for i := range u.findings {
			if c.err = c.take(&u.findings[i]); c.err != nil {
				break
			}
		}
		if c.err == nil {
			c.err = u.err
		}
		c.free = append(c.free, u.emptied())
	}
	if c.err != nil {
		c.cancel()
	}
	c.room.Broadcast()
}
