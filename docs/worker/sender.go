package worker

import (
	"io"
	"sync"
	"time"
)

// Replies are sent together as soon as they are so many bytes, or when the first
// of them is so old. Each wakes the host, which costs more than to write it; and a
// host that waits for a slow page is to have those before it.
const (
	gatheredBytes = 64 << 10
	gatheredTime  = 20 * time.Millisecond
)

// A sender sends replies to the host. Flush ends its timer.
type sender struct {
	out io.Writer

	mu    sync.Mutex
	held  []byte
	timer *time.Timer // runs while something is held
	err   error       // of the first write that went wrong: the host is gone
}

// send sends a reply, and all that are held, or holds it for a while.
func (s *sender) send(r reply, body string, hold bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.held, err = appendFrame(s.held, r, body); err != nil {
		return err
	}
	if !hold || len(s.held) >= gatheredBytes {
		s.write()
	} else if s.timer == nil {
		s.timer = time.AfterFunc(gatheredTime, func() { _ = s.flush() })
	}
	return s.err
}

// flush sends what is held.
func (s *sender) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write()
	return s.err
}

// write is flush for who holds mu.
func (s *sender) write() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if len(s.held) == 0 {
		return
	}
	if s.err == nil {
		_, s.err = s.out.Write(s.held)
	}
	s.held = s.held[:0]
	if cap(s.held) > 4*gatheredBytes {
		s.held = nil
	}
}
