//go:build cgo && !nocgo

package fitz

import (
	"context"
	"errors"
	"runtime"
	"strconv"

	"github.com/arcseat/arc/docs"
)

// binding is the version of go-fitz that go.mod names.
const binding = "go-fitz-1.24.15"

// inProcess makes the engine that reads files in this process. memory is what
// MuPDF may allocate for a file, in bytes.
func inProcess(memory int64) (docs.Engine, error) {
	if guardedFits() {
		return guarded{memory: memory}, nil
	}
	return public{}, nil
}

// served is inProcess in a worker.
func served(memory int64) (docs.Engine, error) {
	if guardedFits() {
		return guarded{memory: memory, served: true}, nil
	}
	return public{}, nil
}

// pathOf names an open file. MuPDF takes a path, reads from it as it goes, and
// must not meet another file there later; the descriptor's own name can only be
// that file, also once it has lost its name.
func pathOf(src docs.Source) string {
	fd := strconv.FormatUint(uint64(src.File.Fd()), 10)
	switch runtime.GOOS {
	case "linux", "android":
		return "/proc/self/fd/" + fd
	case "windows":
		return src.File.Name()
	}
	return "/dev/fd/" + fd
}

// A turn keeps the calls for one document apart: MuPDF's state of a document is
// for one call at a time, and go-fitz locks some functions and not others.
type turn struct {
	full   chan struct{} // holds one while a call runs
	closed bool          // guarded by full
}

func newTurn() turn { return turn{full: make(chan struct{}, 1)} }

var errClosed = errors.New("the document is closed")

// use calls f alone. It waits for others until ctx ends.
func (t *turn) use(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t.full <- struct{}{}:
		defer func() { <-t.full }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if t.closed {
		return errClosed
	}
	return f()
}

// close calls f alone, once, and lets nothing follow.
func (t *turn) close(f func()) {
	t.full <- struct{}{}
	defer func() { <-t.full }()
	if !t.closed {
		t.closed = true
		f()
	}
}

// A page's ink is measured on a small picture of it: this many dots an inch,
// and never more than so many each way, whatever size a page says it has.
const (
	inkDPI  = 18
	inkSide = 512
)

// encryption is empty for MuPDF's word for none.
func encryption(s string) string {
	if s == "None" {
		return ""
	}
	return s
}
