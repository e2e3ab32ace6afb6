package docstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/internal/cancel"
)

// A Script says what a file of a [Fake] holds and how reading it goes. The zero
// Script is a good file without pages.
type Script struct {
	// Pages are the pages; their numbers are their places, from 1, unless Lie is set.
	Pages []docs.Page
	// Info is what the file says of itself. Pages zero: as many as there are, and the
	// last loads. Format empty: "PDF 1.7".
	Info docs.Info
	// Password is what opens the file; without it ErrEncrypted. Empty: none is needed.
	Password string
	// Latency is what each page takes.
	Latency time.Duration
	// Open is called before the file is opened; its error is the engine's own. Nil:
	// nothing goes wrong.
	Open func(context.Context) error
	// Read is called before each page is read, with its number; its error is the
	// engine's own. [Hang] is one that never ends by itself. Nil: nothing goes wrong.
	Read func(ctx context.Context, page int) error
	// Lie returns what Pages returns in place of the pages read. Nil: the truth.
	Lie func([]docs.Page) []docs.Page
}

// Hang is a Script's Read that ends when the call does.
func Hang(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

// CrashAt is a Script's Read that makes the engine crash at one page, each time.
func CrashAt(page int) func(context.Context, int) error {
	return func(_ context.Context, n int) error {
		if n == page {
			return docs.ErrCrashed
		}
		return nil
	}
}

// Text makes pages of texts, each drawn on white paper.
func Text(texts ...string) []docs.Page {
	pages := make([]docs.Page, len(texts))
	for i, s := range texts {
		pages[i] = docs.Page{Text: s, HasInk: true}
		if s != "" {
			pages[i].Ink = 0.03
		}
	}
	return pages
}

// Scan makes pages that are pictures.
func Scan(n int) []docs.Page {
	pages := make([]docs.Page, n)
	for i := range pages {
		pages[i] = docs.Page{HasInk: true, Ink: 0.4}
	}
	return pages
}

// A Fake is a docs.Engine that reads the files which it made.
type Fake struct {
	mu      sync.Mutex
	scripts map[string]Script // by hash
	made    int
	counts  Counts
}

// Counts are what a Fake was asked for.
type Counts struct {
	Opened int // files
	Closed int // of those
	Pages  int // read
	Inked  int // of those, the ones whose ink was asked for
}

// NewFake returns a Fake without files.
func NewFake() *Fake { return &Fake{scripts: map[string]Script{}} }

// Name is "fake-1".
func (f *Fake) Name() string { return "fake-1" }

// File makes a file of a script: no two have the same content. It is as large as a
// file with so many pages could be, and begins as a PDF does.
func (f *Fake) File(s Script) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made++
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%PDF-1.7\n%% a file of a test, number %d\n", f.made)
	for range s.Pages {
		b.WriteString("% there is a page here\n")
	}
	sum := sha256.Sum256(b.Bytes())
	f.scripts[hex.EncodeToString(sum[:])] = s
	return b.Bytes()
}

// Counts says what was asked for so far.
func (f *Fake) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

func (f *Fake) count(add func(*Counts)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	add(&f.counts)
}

// Open opens a file that File made; another is ErrDamaged.
func (f *Fake) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	s, ok := f.scripts[src.SHA256]
	f.mu.Unlock()
	if !ok {
		return nil, docs.ErrDamaged
	}
	if s.Open != nil {
		if err := s.Open(ctx); err != nil {
			return nil, err
		}
	}
	if s.Password != o.Password {
		return nil, docs.ErrEncrypted
	}
	f.count(func(c *Counts) { c.Opened++ })
	return &fakeDocument{fake: f, script: s}, nil
}

type fakeDocument struct {
	fake   *Fake
	script Script

	mu     sync.Mutex
	closed bool
}

var errClosed = errors.New("docstest: the document is closed")

func (d *fakeDocument) begin(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	return ctx.Err()
}

func (d *fakeDocument) Info(ctx context.Context) (docs.Info, error) {
	if err := d.begin(ctx); err != nil {
		return docs.Info{}, err
	}
	info := d.script.Info
	if info.Pages == 0 {
		info.Pages, info.LastLoads = len(d.script.Pages), true
	}
	if info.Format == "" {
		info.Format = "PDF 1.7"
	}
	return info, nil
}

func (d *fakeDocument) Pages(ctx context.Context, first, last int, want docs.Want) ([]docs.Page, error) {
	if err := d.begin(ctx); err != nil {
		return nil, err
	}
	var pages []docs.Page
	truth := func() []docs.Page {
		if d.script.Lie != nil {
			return d.script.Lie(pages)
		}
		return pages
	}
	for n := first; n <= last; n++ {
		if err := d.read(ctx, n); err != nil {
			return truth(), err
		}
		if n > len(d.script.Pages) {
			pages = append(pages, docs.Page{Number: n, Err: docs.ErrPage})
			continue
		}
		p := d.script.Pages[n-1]
		p.Number = n
		if want&docs.WantText == 0 {
			p.Text = ""
		}
		if want&docs.WantInk == 0 {
			p.Ink, p.HasInk = 0, false
		}
		if want&docs.WantLabel == 0 {
			p.Label = ""
		}
		pages = append(pages, p)
		d.fake.count(func(c *Counts) {
			c.Pages++
			if want&docs.WantInk != 0 {
				c.Inked++
			}
		})
	}
	return truth(), nil
}

// read is what reading a page takes, and what goes wrong with it.
func (d *fakeDocument) read(ctx context.Context, page int) error {
	if err := cancel.Sleep(ctx, d.script.Latency); err != nil {
		return err
	}
	if d.script.Read != nil {
		return d.script.Read(ctx, page)
	}
	return nil
}

// Close may be called twice.
func (d *fakeDocument) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.closed = true
		d.fake.count(func(c *Counts) { c.Closed++ })
	}
	return nil
}

var _ docs.Engine = (*Fake)(nil)
