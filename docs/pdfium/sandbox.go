package pdfium

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	pdfium "github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/arcseat/arc/docs"
)

// A sandbox has at most one file open. It is used by one goroutine at a time, and
// made anew for each file and after each accident.
type sandbox struct {
	engine *Engine
	pool   *pool // nil: not made yet, or ended

	inst  pdfium.Pdfium // nil: nothing is open
	mem   *memory
	file  *source
	ref   references.FPDF_DOCUMENT
	holds *document // whose file is open; written by the taker, read under the engine's lock
	fresh bool      // nothing was asked since the file was opened
}

// ended is why ctx has ended: the engine or the document was closed, or ctx's own
// error.
func ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), os.ErrClosed) {
		return os.ErrClosed
	}
	return ctx.Err()
}

func newSandbox(e *Engine) *sandbox { return &sandbox{engine: e} }

// open makes d the file of the sandbox.
func (s *sandbox) open(ctx context.Context, d *document) error {
	if s.holds == d && s.inst != nil {
		return nil
	}
	s.empty()
	if s.pool == nil {
		p, err := s.engine.compiler.pool(s.engine)
		if err != nil {
			if ctx.Err() != nil {
				return ended(ctx)
			}
			s.engine.log.Error("pdfium: no sandbox could be made", "err", err)
			return docs.ErrMemory
		}
		s.pool = p
	}
	inst, mem, err := s.pool.instance(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		s.engine.log.Error("pdfium: no sandbox could be made", "err", err)
		s.endPool()
		return docs.ErrMemory
	}
	s.inst, s.mem, s.fresh = inst, mem, true
	s.file = &source{r: io.NewSectionReader(d.src.File, 0, d.src.Size)}
	s.hold(d)
	return s.do(ctx, s.engine.o.OpenTimeout, func(p pdfium.Pdfium) error {
		req := &requests.OpenDocument{FileReader: s.file, FileReaderSize: d.src.Size}
		if d.password != "" {
			req.Password = &d.password
		}
		res, err := p.OpenDocument(req)
		if err != nil {
			return err
		}
		s.ref = res.Document
		return nil
	})
}

func (s *sandbox) hold(d *document) {
	s.engine.mu.Lock()
	s.holds = d
	s.engine.mu.Unlock()
}

// do runs fn, which calls into the sandbox, for at most limit. Its error is one
// of package docs or a context's; after any but ErrPage the sandbox is empty.
func (s *sandbox) do(ctx context.Context, limit time.Duration, fn func(pdfium.Pdfium) error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if s.inst == nil {
		return docs.ErrTimeout // the call before was done just as its time ended
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(limited, s.pool.cancel)
	err := fn(s.inst)
	if !stop() { // the pool's context has ended, or is about to
		s.empty()
		s.endPool()
		switch {
		case err == nil: // it was done just in time
			return nil
		case ctx.Err() != nil:
			return ended(ctx)
		}
		s.engine.log.Warn("pdfium: the time limit ended a call", "limit", limit)
		return docs.ErrTimeout
	}
	if err == nil {
		return nil
	}
	if s.engine.life.Err() != nil { // Close has ended the pool, and ends ctx a moment later: the page is not to blame
		<-ctx.Done()
		s.empty()
		s.endPool()
		return ended(ctx)
	}
	short := s.mem.short()
	told, whole := verdict(err, short)
	if !whole {
		s.engine.log.Warn("pdfium: a sandbox was thrown away", "memory", short, "err", firstLine(err))
		s.discard()
	} else if !errors.Is(told, docs.ErrPage) {
		s.empty()
	}
	return told
}

// verdict says which of package docs' errors err is, and whether the sandbox is
// whole. What is not known is an accident.
func verdict(err error, short bool) (told error, whole bool) {
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return docs.ErrEncrypted, true
	case short: // whatever it says, that is why
		return docs.ErrMemory, false
	case errors.Is(err, pdfiumerrors.ErrPage), errors.Is(err, docs.ErrPage):
		return docs.ErrPage, true
	case errors.Is(err, pdfiumerrors.ErrFormat), errors.Is(err, pdfiumerrors.ErrFile),
		errors.Is(err, pdfiumerrors.ErrUnknown), errors.Is(err, pdfiumerrors.ErrSuccess), errors.Is(err, pdfiumerrors.ErrUnexpected):
		return docs.ErrDamaged, true
	}
	return docs.ErrCrashed, false
}

// accident tells a fault of the sandbox from go-pdfium's word that something is
// not there, which it says as an error too.
func accident(err error) bool {
	if err == nil {
		return false
	}
	for _, sign := range []string{"wasm error", "panic occurred", "module closed", "could not allocate", "instance is closed"} {
		if strings.Contains(err.Error(), sign) {
			return true
		}
	}
	return false
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// empty closes the file. The sandbox's inside goes with it.
func (s *sandbox) empty() {
	if s.inst == nil {
		return
	}
	// PDFium closes the file in the sandbox, and that may take long too.
	timer := time.AfterFunc(s.engine.o.OpenTimeout, s.pool.cancel)
	s.inst.Close()
	ended := !timer.Stop()
	s.gone()
	if ended {
		s.endPool()
	}
}

// discard throws the sandbox's inside away without a word to it.
func (s *sandbox) discard() {
	s.inst.Kill()
	s.gone()
}

func (s *sandbox) gone() {
	s.file.detach()
	s.mem.unmap()
	s.inst, s.mem, s.file, s.ref = nil, nil, nil, ""
	s.hold(nil)
}

// endPool gives up a pool whose context has ended. The next one is made before it
// is closed, so that the compiled module stays in memory.
func (s *sandbox) endPool() {
	old := s.pool
	s.pool = nil
	if old == nil {
		return
	}
	if s.engine.life.Err() == nil {
		next, err := s.engine.compiler.pool(s.engine)
		if err != nil {
			s.engine.log.Error("pdfium: no sandbox could be made", "err", err)
		}
		s.pool = next
	}
	old.close()
}

// destroy ends the sandbox for good.
func (s *sandbox) destroy() {
	if s.pool == nil {
		return
	}
	if s.inst != nil {
		s.discard()
	}
	s.pool.close()
	s.pool = nil
}

// source is a file as a sandbox sees it: it can be taken away.
type source struct {
	mu sync.Mutex
	r  *io.SectionReader // nil: taken away
}

func (f *source) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.r == nil {
		return 0, io.ErrClosedPipe
	}
	return f.r.Read(p)
}

func (f *source) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.r == nil {
		return 0, io.ErrClosedPipe
	}
	return f.r.Seek(offset, whence)
}

// detach takes the file away: go-pdfium keeps the reader of a sandbox that was
// thrown away.
func (f *source) detach() {
	f.mu.Lock()
	f.r = nil
	f.mu.Unlock()
}
