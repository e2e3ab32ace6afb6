package pdfium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	pdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/arcseat/arc/docs"
)

// headerWithin is how far into a file its header may stand, in bytes.
const headerWithin = 1024

func looksLikePDF(src docs.Source) bool {
	head := make([]byte, min(headerWithin+len("%PDF-"), int(max(0, src.Size))))
	n, _ := src.File.ReadAt(head, 0)
	return bytes.Contains(head[:n], []byte("%PDF-"))
}

// A document is open in a sandbox or, when another file needed that, is opened
// again as soon as something is asked of it.
type document struct {
	engine   *Engine
	src      docs.Source
	password string
	life     context.Context // ends with Close
	end      context.CancelFunc

	mu  sync.Mutex    // one question at a time
	bad map[int]error // pages that cost a sandbox: not tried again
}

// with runs fn with the file open.
func (d *document) with(ctx context.Context, fn func(context.Context, *sandbox) error) error {
	ctx, done := d.engine.bounded(ctx, d.life)
	defer done()
	if err := d.engine.started(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.engine.take(ctx, d)
	if err != nil {
		return err
	}
	defer d.engine.give(s)
	if err := s.open(ctx, d); err != nil {
		return err
	}
	return fn(ctx, s)
}

// Close closes the file and ends what is being asked of it.
func (d *document) Close() error {
	d.end()
	d.mu.Lock() // nothing is being asked any more
	defer d.mu.Unlock()
	e := d.engine
	select {
	case e.tokens <- struct{}{}:
	default: // every sandbox is at work or about to be; whoever gets this one empties it
		e.forget(d)
		return nil
	}
	e.mu.Lock()
	var mine *sandbox
	for i, s := range e.idle {
		if s.holds == d {
			mine = s
			e.idle = append(e.idle[:i:i], e.idle[i+1:]...)
			break
		}
	}
	e.mu.Unlock()
	if mine == nil {
		<-e.tokens
		return nil
	}
	mine.empty()
	e.give(mine)
	return nil
}

// forget takes the file of d away from the idle sandbox that has it.
func (e *Engine) forget(d *document) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.idle {
		if s.holds == d {
			s.file.detach()
		}
	}
}

// Info tells what the file says of itself. It loads no page but the last.
func (d *document) Info(ctx context.Context) (docs.Info, error) {
	info := docs.Info{Warnings: []string{docs.WarnFormNotRead}}
	err := d.with(ctx, func(ctx context.Context, s *sandbox) error {
		err := s.do(ctx, d.engine.o.OpenTimeout, func(p pdfium.Pdfium) error { return s.info(p, &info) })
		if err != nil || info.Pages < 1 {
			return err
		}
		s.fresh = false
		// A last page that costs the sandbox is the page's fault alone.
		err = s.do(ctx, d.engine.o.PageTimeout, func(p pdfium.Pdfium) error { return s.loads(p, info.Pages) })
		info.LastLoads = err == nil
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return nil
	})
	if err != nil {
		return docs.Info{}, err
	}
	return info, nil
}

func (s *sandbox) info(p pdfium.Pdfium, info *docs.Info) error {
	count, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: s.ref})
	if err != nil {
		return err
	}
	info.Pages = count.PageCount
	version, err := p.FPDF_GetFileVersion(&requests.FPDF_GetFileVersion{Document: s.ref})
	switch {
	case err == nil && version.FileVersion > 0:
		info.Format = fmt.Sprintf("PDF %d.%d", version.FileVersion/10, version.FileVersion%10)
	case accident(err):
		return err
	default:
		info.Format = "PDF"
	}
	security, err := p.FPDF_GetSecurityHandlerRevision(&requests.FPDF_GetSecurityHandlerRevision{Document: s.ref})
	if err != nil {
		return err
	}
	if r := security.SecurityHandlerRevision; r >= 0 {
		info.Encryption = fmt.Sprintf("Standard R%d", r)
	}
	m := &info.Metadata
	for tag, to := range map[string]*string{
		"Title": &m.Title, "Author": &m.Author, "Subject": &m.Subject, "Keywords": &m.Keywords,
		"Creator": &m.Creator, "Producer": &m.Producer, "CreationDate": &m.Created, "ModDate": &m.Modified,
	} {
		text, err := p.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: s.ref, Tag: tag})
		if accident(err) {
			return err
		}
		if err == nil {
			*to = text.Value
		}
	}
	return nil
}

// Pages reads pages. One that crashes the sandbox or meets its limit is read once
// more in a fresh one, and costs the others nothing.
func (d *document) Pages(ctx context.Context, first, last int, want docs.Want) ([]docs.Page, error) {
	var pages []docs.Page
	err := d.with(ctx, func(ctx context.Context, s *sandbox) error {
		for n := first; n <= last; n++ {
			page := docs.Page{Number: n, Err: d.bad[n]}
			if page.Err == nil {
				var err error
				if page, err = d.page(ctx, s, n, want); err != nil {
					return err
				}
			}
			pages = append(pages, page)
		}
		return nil
	})
	return pages, err
}

// page reads one page. Its error is the document's.
func (d *document) page(ctx context.Context, s *sandbox, n int, want docs.Want) (docs.Page, error) {
	for {
		if err := s.open(ctx, d); err != nil {
			return docs.Page{}, err
		}
		fresh := s.fresh
		s.fresh = false
		page := docs.Page{Number: n}
		err := s.do(ctx, d.engine.o.PageTimeout, func(p pdfium.Pdfium) error { return s.page(p, &page, want) })
		if err == nil && want&docs.WantInk != 0 {
			err = s.do(ctx, d.engine.o.PageTimeout/2, func(p pdfium.Pdfium) error { return s.ink(p, &page) })
			if want&docs.WantText != 0 && ctx.Err() == nil {
				err = nil // a page that cannot be drawn has its text all the same
			}
		}
		if s.inst != nil && s.mem.worn() {
			s.empty()
		}
		switch {
		case err == nil:
			return page, nil
		case ctx.Err() != nil:
			return docs.Page{}, ended(ctx)
		case !fresh && (errors.Is(err, docs.ErrCrashed) || errors.Is(err, docs.ErrMemory)):
			continue // what came before it may be why
		case !errors.Is(err, docs.ErrPage):
			d.bad[n] = err
		}
		return docs.Page{Number: n, Err: err}, nil
	}
}
