package docs

import (
	"container/list"
	"sync"
)

// A cache keeps pages by the hash of their file, the ones used last at the front.
// Pages in it are never changed: a page of which more is known replaces the one
// before.
type cache struct {
	limit int64

	mu    sync.Mutex
	by    map[pageKey]*list.Element
	order *list.List // of *cached
	size  int64
}

type pageKey struct {
	sha256 string
	page   int
}

type cached struct {
	key pageKey
	p   *pageText
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, by: map[pageKey]*list.Element{}, order: list.New()}
}

func (c *cache) get(sha256 string, page int) *pageText {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[pageKey{sha256, page}]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).p
}

func (c *cache) put(sha256 string, p *pageText) {
	key := pageKey{sha256, p.number}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.by[key]; e != nil {
		c.remove(e)
	}
	c.by[key] = c.order.PushFront(&cached{key, p})
	c.size += p.bytes()
	for c.size > c.limit && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	v := c.order.Remove(e).(*cached)
	delete(c.by, v.key)
	c.size -= v.p.bytes()
}
