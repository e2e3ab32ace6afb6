package proc

import "time"

func (p *Pipe) read() {
	for {
		n, err := p.r.Read(p.buf)
		if n > 0 {
			p.mu.Lock()
			p.sink(p.buf[:n])
			p.buf = p.enlarged(n)
			p.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// Drain gives the reader a moment: a pipe here cannot be asked what it holds.
func (p *Pipe) Drain() {
	select {
	case <-p.eof:
	case <-time.After(50 * time.Millisecond):
	}
}
