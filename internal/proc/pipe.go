package proc

import (
	"os"
	"sync"
)

// A Pipe carries a group's output to one sink. Both standard output and standard
// error may be given its write end: what arrives is then in the order in which
// it was written.
type Pipe struct {
	r    *os.File
	sink func([]byte)
	mu   sync.Mutex // held from a read to the end of its sink, so that Drain knows that nothing is between them
	buf  []byte
	eof  chan struct{}

	began uint64 // as a stat tells it; 0: not known
}

// How much one read takes: little from who says little, and then as much as makes the
// copy cheap, all that a pipe holds: an eighth of it costs up to a tenth more processor time.
const (
	firstRead = 4 << 10
	readSize  = 1 << 20
)

// NewPipe makes a pipe and starts to read it: sink gets what arrives, in order,
// one call at a time, and keeps no hold of the bytes. The write end goes to
// Start and is then to be closed. Reading goes on until all writers have closed
// it, or Close.
func NewPipe(sink func([]byte)) (p *Pipe, write *os.File, err error) {
	p, write, err = MakePipe(sink)
	if err == nil {
		p.Begin()
	}
	return p, write, err
}

// MakePipe is NewPipe for who wants to start a command first: nothing is read before
// Begin, which has to be called once, and before Close.
func MakePipe(sink func([]byte)) (p *Pipe, write *os.File, err error) {
	r, w, err := ends()
	if err != nil {
		return nil, nil, err
	}
	return &Pipe{r: r, sink: sink, buf: make([]byte, firstRead), eof: make(chan struct{}), began: ticks()}, w, nil
}

// Begin starts to read.
func (p *Pipe) Begin() {
	go func() {
		defer close(p.eof)
		p.read()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.buf = nil // whoever keeps a Pipe that has ended keeps no buffer
	}()
}

// EOF is closed once nothing more will reach the sink.
func (p *Pipe) EOF() <-chan struct{} { return p.eof }

// Close stops reading and waits until the sink is left alone. A writer that
// still lives gets SIGPIPE from now on.
func (p *Pipe) Close() {
	_ = p.r.Close() // a second Close is as good as the first
	<-p.eof
}

// enlarged is the buffer for the read after one of n bytes. The caller holds mu.
func (p *Pipe) enlarged(n int) []byte {
	if n == len(p.buf) && n < readSize {
		return make([]byte, min(readSize, 32*len(p.buf)))
	}
	return p.buf
}
