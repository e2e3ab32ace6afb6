package docs

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/arcseat/arc"
)

// RetryAfter is for how long a document that took too long to open is not tried again,
// by a Library and by an engine that remembers such files.
const RetryAfter = time.Minute

// A page count that the file is too small for is a lie or a loop. Blank pages that
// are packed together take less than bytesPerPage, so of up to manyPages the last is
// believed if it loads.
const (
	bytesPerPage = 20
	manyPages    = 10_000
)

// A document is one version of a file, by its hash.
type document struct {
	sha256 string
	size   int64

	// These are the shelf's.
	users int
	place *list.Element
	idle  *time.Timer

	turn chan struct{} // holds one token: the right to what is below

	copy  *private // nil: none was made, or it was closed
	doc   Document // nil: not open
	about *about   // nil: not known yet
	kind  string   // what its first bytes look like, for what is no PDF
	fault error    // why it cannot be read
	until time.Time
}

// enter takes the document's turn. The caller leaves.
func (d *document) enter(ctx context.Context, path string) (leave func(), err error) {
	select {
	case d.turn <- struct{}{}:
		return func() { <-d.turn }, nil
	case <-ctx.Done():
		return nil, ended(ctx, path)
	}
}

// detach gives what is open to another document, to be closed there.
func (d *document) detach() *document {
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	was := &document{copy: d.copy, doc: d.doc}
	d.copy, d.doc = nil, nil
	return was
}

func (d *document) closeBoth() error {
	var errs []error
	if d.doc != nil {
		errs = append(errs, d.doc.Close())
	}
	if d.copy != nil {
		errs = append(errs, d.copy.Close())
	}
	return errors.Join(errs...)
}

// A view is a document as one call sees it: under its path.
type view struct {
	l    *Library
	d    *document
	path string
	pdf  []byte // the file itself, if it is none of Files: path is then no path
}

// open begins with the document at path. The caller gives it back.
func (l *Library) open(ctx context.Context, path string) (*view, func(), error) {
	if err := checkPath(path); err != nil {
		return nil, nil, err
	}
	v, err := l.look(ctx, path, false)
	if err != nil {
		return nil, nil, err
	}
	d := l.shelf.take(v)
	return &view{l: l, d: d, path: path}, func() { l.shelf.give(d) }, nil
}

// about says what the file says of itself, and whether it can be read at all.
func (v *view) about(ctx context.Context) (*about, error) {
	leave, err := v.d.enter(ctx, v.path)
	if err != nil {
		return nil, err
	}
	defer leave()
	if v.d.fault == nil && v.d.about != nil {
		return v.d.about, nil
	}
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	return v.d.about, nil
}

// ready opens the document at the engine if it is not open. The caller has the turn.
func (v *view) ready(ctx context.Context) error {
	d := v.d
	if d.fault != nil && (d.until.IsZero() || time.Now().Before(d.until)) {
		return v.told(d.fault)
	}
	d.fault, d.until = nil, time.Time{}
	if d.doc != nil {
		return nil
	}
	if err := v.copied(ctx); err != nil {
		return err
	}
	d.kind = sniff(d.copy.head)
	if !isPDF(d.copy.head) {
		d.fault = ErrNotPDF
		return v.told(ErrNotPDF)
	}
	doc, err := v.openAtEngine(ctx)
	var a *about
	if err == nil {
		if a, err = learn(ctx, doc, d.size); err != nil {
			v.l.shelf.warn(doc.Close())
		}
	}
	switch {
	case err == nil:
		d.doc, d.about = doc, a
		return nil
	case ctx.Err() != nil:
		return ended(ctx, v.path)
	case errors.Is(err, ErrTimeout):
		d.fault, d.until = err, time.Now().Add(RetryAfter)
	case errors.Is(err, ErrEncrypted):
		if v.l.opts.Password == nil { // with one, the next answer may be another
			d.fault = err
		}
	case errors.Is(err, ErrNotPDF), errors.Is(err, ErrDamaged), errors.Is(err, ErrMemory), errors.Is(err, ErrCrashed):
		d.fault = err
	}
	return v.told(err)
}

// copied makes sure that there is a copy to parse.
func (v *view) copied(ctx context.Context) error {
	if v.d.copy != nil {
		return nil
	}
	if v.pdf != nil { // its first copy is gone: the document was in use, and had no need of it then
		p, err := newPrivate(ctx, v.l.opts.TempDir, bytes.NewReader(v.pdf), v.l.opts.MaxSize)
		if err != nil {
			return v.l.sourceFault(ctx, err, v.path)
		}
		v.d.copy = p
		return nil
	}
	now, err := v.l.look(ctx, v.path, true)
	if err != nil {
		return err
	}
	if now.sha256 != v.d.sha256 {
		now.copy.Close()
		return errMoved
	}
	v.d.copy = now.copy
	return nil
}

func (v *view) openAtEngine(ctx context.Context) (Document, error) {
	src := Source{File: v.d.copy.file, Size: v.d.size, SHA256: v.d.sha256}
	doc, err := v.l.engine.Open(ctx, src, OpenOptions{})
	if !errors.Is(err, ErrEncrypted) || v.l.opts.Password == nil || ctx.Err() != nil {
		return doc, err
	}
	path := v.path
	if v.pdf != nil {
		path = ""
	}
	password, perr := v.l.opts.Password(ctx, path)
	if perr != nil {
		v.l.log.Warn("no password was given for a document", "path", v.path, "error", perr)
	}
	if perr != nil || password == "" {
		return nil, err
	}
	return v.l.engine.Open(ctx, src, OpenOptions{Password: password})
}

// told is an engine's error as a model sees it.
func (v *view) told(err error) error {
	if errors.Is(err, errMoved) {
		return err
	}
	told := fault(err, v.path)
	var e *arc.Error
	if !errors.As(told, &e) {
		return told
	}
	switch e.Code {
	case NotPDF:
		e.Detail = pathDetail{Path: v.path, Sniffed: v.d.kind}
	case arc.Internal:
		v.l.log.Error("a document could not be read", "path", v.path, "sha256", v.d.sha256, "error", err)
	}
	return told
}

// again runs do on the document at path, and once more if the file is replaced
// between the look at it and its copy.
func (l *Library) again(ctx context.Context, path string, do func(*view) error) error {
	var err error
	for range 2 {
		if err = l.once(ctx, path, do); !errors.Is(err, errMoved) {
			return err
		}
	}
	return fault(err, path)
}

// once gives the document back whatever becomes of do, also where the host's Files,
// Engine or Password panics.
func (l *Library) once(ctx context.Context, path string, do func(*view) error) error {
	v, give, err := l.open(ctx, path)
	if err != nil {
		return err
	}
	defer give()
	return do(v)
}

// plausible refuses a page count that the file cannot have.
func plausible(pages int, lastLoads bool, size int64) error {
	if pages <= 0 {
		return fmt.Errorf("%w: it has %d pages", ErrDamaged, pages)
	}
	if int64(pages) > max(1, size/bytesPerPage) && !(lastLoads && pages <= manyPages) {
		return fmt.Errorf("%w: %d pages in %d bytes", ErrDamaged, pages, size)
	}
	return nil
}
