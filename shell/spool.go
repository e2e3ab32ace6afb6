package shell

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/arcseat/arc/internal/retain"
)

// A spool keeps what a command says: all of it up to a limit, then the last of
// it. Offsets are those of the output, whatever is kept.
//
//	0 … head         in the file, from its start
//	head … tailAt()  lost: the gap
//	tailAt() … total while written, in the ring; then in the file, after the head
type spool struct {
	path string
	file func() (*os.File, error) // makes the file, once there is something to keep
	grow func(n int64) bool       // asks the store for room
	max  int64                    // of head

	secrets func() []string // what no page and no preview shows; nil: nothing

	mu     sync.Mutex
	to     *os.File // nil: nothing was kept yet, or nobody writes any more
	head   int64
	total  int64
	full   bool   // the head has ended
	ring   []byte // the last bytes after the head, oldest at next; nil: none, or in the file
	next   int
	kept   int // bytes of the tail
	limit  int // of kept
	lost   error
	news   chan struct{} // closed, and replaced, when total grows or writing ends; nil: nobody waits
	sealed bool
}

// append takes what the command said. It never refuses: what cannot be kept is
// counted.
func (s *spool) append(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return
	}
	s.total += int64(len(b))
	if !s.full {
		b = b[s.toFile(b):]
	}
	if len(b) > 0 {
		s.full = true
		s.toRing(b)
	}
	s.tell()
}

// toFile appends what fits of b to the head and returns how much that was.
func (s *spool) toFile(b []byte) int {
	if room := s.max - s.head; int64(len(b)) > room {
		b = b[:room]
	}
	if len(b) == 0 || !s.grow(int64(len(b))) {
		return 0
	}
	n, err := s.write(b)
	s.head += int64(n)
	if err != nil {
		s.lost = err
	}
	return n
}

// write appends to the file, which is made by the first write: to make one takes longer
// than most else of a quick command that says nothing.
func (s *spool) write(b []byte) (int, error) {
	if s.to == nil {
		f, err := s.file()
		if err != nil {
			return 0, err
		}
		s.to = f
	}
	return s.to.Write(b)
}

func (s *spool) toRing(b []byte) {
	if s.ring == nil {
		s.ring = make([]byte, s.limit)
	}
	if len(b) > s.limit {
		b = b[len(b)-s.limit:]
	}
	s.kept = min(s.kept+len(b), s.limit)
	for len(b) > 0 {
		n := copy(s.ring[s.next:], b)
		b = b[n:]
		s.next = (s.next + n) % s.limit
	}
}

// tell wakes who waits for news. The caller holds mu.
func (s *spool) tell() {
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
}

// seal ends writing: the tail moves from memory to the file if it fits there. It
// returns what kept the disk from taking the output, if anything did.
func (s *spool) seal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return nil
	}
	s.sealed = true
	s.tell()
	s.fileTail()
	if s.to != nil {
		if err := s.to.Close(); err != nil && s.lost == nil {
			s.lost = err
		}
		s.to = nil
	}
	return s.lost
}

// memoryTail is how much of a tail that found no place on the disk stays in
// memory: what a preview shows, and not a MiB for each command of a day.
const memoryTail = 16 << 10

// fileTail moves the tail behind the head. The caller holds mu.
func (s *spool) fileTail() {
	if s.kept == 0 {
		s.ring = nil
		return
	}
	tail := make([]byte, s.kept)
	s.readRing(tail, 0)
	if s.grow(int64(s.kept)) {
		_, err := s.write(tail)
		if err == nil {
			s.ring = nil
			return
		}
		if s.lost == nil {
			s.lost = err
		}
	}
	s.ring = append([]byte(nil), tail[max(0, len(tail)-memoryTail):]...)
	s.next, s.kept, s.limit = 0, len(s.ring), len(s.ring)
}

// readRing fills p from byte at of the tail on. The caller holds mu and asks for
// no more than there is.
func (s *spool) readRing(p []byte, at int64) {
	start := (s.next - s.kept + s.limit) % s.limit
	for n := 0; n < len(p); {
		n += copy(p[n:], s.ring[(start+int(at)+n)%s.limit:])
	}
}

// bounds are the numbers of a spool at one moment.
type bounds struct {
	head, tail, total int64 // [head, tail) is the gap; head == tail: none
	open              bool  // more may come
}

func (b bounds) dropped() int64 { return b.tail - b.head }

func (s *spool) bounds() bounds {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.boundsLocked()
}

func (s *spool) boundsLocked() bounds {
	return bounds{head: s.head, tail: s.total - int64(s.kept), total: s.total, open: !s.sealed}
}

func (s *spool) size() int64 { return s.bounds().total }

// grown returns a channel that closes when there is more than size, or no more
// will come.
func (s *spool) grown(size int64) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total > size || s.sealed {
		now := make(chan struct{})
		close(now)
		return now
	}
	if s.news == nil {
		s.news = make(chan struct{})
	}
	return s.news
}

// read returns up to n bytes from off on. It stops at the gap, and inside it
// returns none. The bounds are those of the moment of the read. Its error is
// fs.ErrNotExist when the file was dropped.
func (s *spool) read(off int64, n int) ([]byte, bounds, error) {
	s.mu.Lock()
	b := s.boundsLocked()
	end := min(b.total, off+int64(n))
	if b.dropped() > 0 && off < b.head {
		end = min(end, b.head)
	}
	if off >= end || (off >= b.head && off < b.tail) {
		s.mu.Unlock()
		return nil, b, nil
	}
	p := make([]byte, end-off)
	filed := len(p) // how much of p is in the file
	if s.ring != nil {
		filed = int(max(0, min(end, b.head)-off))
		s.readRing(p[filed:], max(0, off-b.tail))
	}
	s.mu.Unlock()
	if off >= b.tail && b.dropped() > 0 {
		off -= b.dropped()
	}
	return p, b, s.readFile(p[:filed], off)
}

// last returns the last bytes of the output, at most n and none from before the
// gap, and where they begin.
func (s *spool) last(n int) (p []byte, at int64, b bounds, err error) {
	s.mu.Lock()
	b = s.boundsLocked()
	at = max(0, b.total-int64(n))
	if b.dropped() > 0 {
		at = max(at, b.tail)
	}
	if s.ring == nil {
		s.mu.Unlock()
		p, _, err = s.read(at, int(b.total-at))
		return p, at, b, err
	}
	p = make([]byte, b.total-at) // all at once, because an endless writer would outrun a second look
	filed := int(max(0, b.head-at))
	s.readRing(p[filed:], max(0, at-b.tail))
	s.mu.Unlock()
	return p, at, b, s.readFile(p[:filed], at)
}

func (s *spool) readFile(p []byte, at int64) error {
	if len(p) == 0 {
		return nil
	}
	f, err := retain.OpenFile(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = f.ReadAt(p, at); errors.Is(err, io.EOF) {
		return fs.ErrNotExist // shorter than its record says: somebody cut it
	}
	return err
}
