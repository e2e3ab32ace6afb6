//go:build unix

package proc

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (p *Pipe) read() {
	raw, err := p.r.SyscallConn()
	if err != nil {
		return
	}
	for more := true; more; {
		err := raw.Read(func(fd uintptr) bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			n, err := p.take(fd)
			more = n > 0
			return !errors.Is(err, unix.EAGAIN)
		})
		if err != nil {
			return // closed
		}
	}
}

// take moves one buffer of what is there to the sink. The caller holds mu.
func (p *Pipe) take(fd uintptr) (int, error) {
	for {
		n, err := unix.Read(int(fd), p.buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n > 0 {
			p.sink(p.buf[:n])
			p.buf = p.enlarged(n)
		}
		return n, err
	}
}

// drainLimit ends a Drain that races an endless writer: more than a pipe holds.
const drainLimit = 2 << 20

// Drain returns once the sink has had everything that was written before the
// call.
func (p *Pipe) Drain() {
	raw, err := p.r.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // an error: it is closed, and so drained
		p.mu.Lock()
		defer p.mu.Unlock()
		for total := 0; p.buf != nil && total < drainLimit; {
			n, err := p.take(fd)
			if err != nil || n <= 0 {
				return
			}
			total += n
		}
	})
}
