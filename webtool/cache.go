package webtool

import (
	"container/list"
	"sync"
	"time"

	"github.com/arcseat/arc"
)

// A key is what a snapshot is found by. Rooms of different access share nothing: what
// Full Access has read of a local server is not for a Safe room.
type key struct {
	access arc.Access
	seat   arc.SeatID
	url    string
}

// maxGraves is how many snapshots that are gone are remembered.
const maxGraves = 1000

// A cache keeps snapshots, the most recently read ones, and remembers for a while
// what was dropped, so that a page that has changed is not taken for its second half.
type cache struct {
	most  int64 // bytes
	idle  time.Duration
	fresh time.Duration

	mu      sync.Mutex
	weight  int64
	entries map[key]*list.Element // of *entry
	recent  *list.List            // most recently read first
	graves  map[key]*list.Element // of *entry without text
	buried  *list.List            // most recently buried first
}

// An entry is a snapshot in the cache. Its fields change under the cache's lock.
type entry struct {
	key     key
	snap    *snapshot // nil in a grave
	hash    string
	issued  map[int]bool // the offsets that were named as next
	before  *entry       // what stood here before, without text; nil: the same, or nothing
	used    time.Time
	checked time.Time // when the server last said that it is current
}

func newCache(l Limits) *cache {
	return &cache{
		most: l.CacheBytes, idle: l.KeepFor, fresh: l.Fresh,
		entries: map[key]*list.Element{}, recent: list.New(),
		graves: map[key]*list.Element{}, buried: list.New(),
	}
}

// read returns the snapshot of k. At an offset past the beginning it is whatever is
// there, unless the offset belongs to an older one, or nobody knows to which: then
// changed is set. At the beginning current says whether it may be served without asking
// its server.
func (c *cache) read(k key, offset int) (s *snapshot, age time.Duration, current, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[k]
	if !ok {
		_, remembered := c.graves[k]
		return nil, 0, false, offset > 0 && !remembered
	}
	e, now := el.Value.(*entry), time.Now()
	if now.Sub(e.used) >= c.idle {
		c.bury(el) // and so remembers it
		return nil, 0, false, false
	}
	e.used = now
	c.recent.MoveToFront(el)
	age = now.Sub(e.checked)
	if offset > 0 {
		return e.snap, age, true, !e.issued[offset] && e.before != nil && e.before.issued[offset]
	}
	return e.snap, age, e.snap.public && !e.snap.noStore && !e.snap.partial && age < c.fresh, false
}

// put keeps s. It reports whether what was there before, or is remembered, was
// another text.
func (c *cache) put(k key, s *snapshot) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	e := &entry{key: k, snap: s, hash: s.hash, issued: map[int]bool{}, used: now, checked: now}
	if el, ok := c.entries[k]; ok {
		c.bury(el)
	}
	if el, ok := c.graves[k]; ok {
		old := el.Value.(*entry)
		c.buried.Remove(el)
		delete(c.graves, k)
		if old.hash == s.hash {
			e.issued, e.before = old.issued, old.before
		} else {
			e.before, old.before, changed = old, nil, true
		}
	}
	el := c.recent.PushFront(e)
	c.entries[k] = el
	c.weight += s.weight()
	for last := c.recent.Back(); last != nil && (c.weight > c.most || now.Sub(last.Value.(*entry).used) >= c.idle); last = c.recent.Back() {
		c.bury(last)
	}
	return changed
}

// confirm takes note that s is current.
func (c *cache) confirm(k key, s *snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[k]; ok && el.Value.(*entry).snap == s {
		el.Value.(*entry).checked = time.Now()
	}
}

// issue takes note that the reader of s was told to go on at offset.
func (c *cache) issue(k key, s *snapshot, offset int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, el := range []*list.Element{c.entries[k], c.graves[k]} {
		if el != nil && el.Value.(*entry).hash == s.hash {
			el.Value.(*entry).issued[offset] = true
		}
	}
}

// bury drops the text of an entry and remembers the rest.
func (c *cache) bury(el *list.Element) {
	e := el.Value.(*entry)
	c.recent.Remove(el)
	delete(c.entries, e.key)
	c.weight -= e.snap.weight()
	e.snap = nil
	c.graves[e.key] = c.buried.PushFront(e)
	for c.buried.Len() > maxGraves {
		last := c.buried.Back()
		c.buried.Remove(last)
		delete(c.graves, last.Value.(*entry).key)
	}
}
