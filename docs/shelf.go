package docs

import (
	"container/list"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// maxDocuments bounds what is remembered of documents that nobody reads.
const maxDocuments = 256

// A shelf has the documents that were read, the ones used last at the front. What
// it remembers of one is small; copies on disk and documents open at the engine are
// few.
type shelf struct {
	keep    int
	keepFor time.Duration
	log     *slog.Logger

	mu     sync.Mutex
	by     map[string]*document // by hash
	order  *list.List           // of *document
	closed bool
	idlers sync.WaitGroup // documents that are being closed because nobody used them
}

func newShelf(keep int, keepFor time.Duration, log *slog.Logger) *shelf {
	return &shelf{keep: keep, keepFor: keepFor, log: log, by: map[string]*document{}, order: list.New()}
}

// take lends the document of a version until it is given back. The copy of v is the
// shelf's from now on.
func (s *shelf) take(v *version) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.by[v.sha256]
	if d == nil {
		d = &document{sha256: v.sha256, size: v.size, turn: make(chan struct{}, 1)}
		d.place = s.order.PushFront(d)
		s.by[d.sha256] = d
	}
	s.order.MoveToFront(d.place)
	d.users++
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	switch {
	case v.copy == nil:
	case d.users == 1 && d.copy == nil: // nobody else can be at it
		d.copy = v.copy
	default:
		s.warn(v.copy.Close())
	}
	return d
}

// give takes a document back, and closes what need not stay open.
func (s *shelf) give(d *document) {
	s.mu.Lock()
	d.users--
	var closing []*document
	if d.users == 0 && d.copy != nil {
		d.idle = time.AfterFunc(s.keepFor, func() { s.retire(d) })
	}
	open := 0
	for e := s.order.Front(); e != nil; e = e.Next() {
		d := e.Value.(*document)
		if d.users > 0 || d.copy == nil {
			continue
		}
		if open++; open > s.keep || d.doc == nil {
			closing = append(closing, d.detach())
			open--
		}
	}
	for e := s.order.Back(); e != nil && len(s.by) > maxDocuments; {
		d, before := e.Value.(*document), e.Prev()
		if d.users == 0 && d.copy == nil {
			s.order.Remove(e)
			delete(s.by, d.sha256)
		}
		e = before
	}
	s.mu.Unlock()
	for _, d := range closing {
		s.warn(d.closeBoth())
	}
}

// retire closes a document that nobody used for a while.
func (s *shelf) retire(d *document) {
	s.mu.Lock()
	var was *document
	if d.users == 0 && !s.closed {
		was = d.detach()
		s.idlers.Add(1)
	}
	s.mu.Unlock()
	if was != nil {
		s.warn(was.closeBoth())
		s.idlers.Done()
	}
}

// close closes everything; by now no call uses anything.
func (s *shelf) close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.idlers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, d := range s.by {
		errs = append(errs, d.detach().closeBoth())
	}
	return errors.Join(errs...)
}

func (s *shelf) warn(err error) {
	if err != nil {
		s.log.Warn("a document did not close", "error", err)
	}
}
