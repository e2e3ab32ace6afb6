//go:build cgo && !nocgo

package fitz

import (
	"context"
	"errors"
	"image"
	"runtime"
	"strconv"
	"strings"

	"github.com/arcseat/arc/docs"
	"github.com/gen2brain/go-fitz"
)

// binding is the version of go-fitz that go.mod names.
const binding = "go-fitz-1.24.15"

// public is an engine on go-fitz's public functions. It reads no form fields or
// annotations, knows no passwords and no page labels, and cuts a page's text at
// a NUL.
type public struct{}

func (public) Name() string { return "mupdf-" + fitz.FzVersion + "/" + binding + "/public" }

// pathOf names an open file. go-fitz takes a path, reads from it as it goes, and
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

func (public) Open(ctx context.Context, src docs.Source, _ docs.OpenOptions) (docs.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, err := fitz.New(pathOf(src))
	if err != nil {
		d.Close() // an error keeps half a megabyte otherwise
		if errors.Is(err, fitz.ErrNeedsPassword) {
			return nil, docs.ErrEncrypted
		}
		return nil, docs.ErrDamaged
	}
	return &publicDocument{d: d, src: src, turn: make(chan struct{}, 1)}, nil
}

// publicDocument is an open file. turn keeps its calls apart: go-fitz locks some
// functions and not others, and crashes where two of them meet.
type publicDocument struct {
	d      *fitz.Document
	src    docs.Source // its descriptor stays open as long as the document
	turn   chan struct{}
	closed bool // guarded by turn
}

// use calls f alone. A context is heeded before it, and not during it: a call
// into C cannot be interrupted.
func (d *publicDocument) use(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if d.closed {
		return errClosed
	}
	return f()
}

var errClosed = errors.New("the document is closed")

func (d *publicDocument) Info(ctx context.Context) (info docs.Info, err error) {
	err = d.use(ctx, func() error {
		info = d.info()
		return nil
	})
	return info, err
}

// formWarning says that what stands in form fields and annotations was not read.
const formWarning = "form_and_annotation_text_not_read"

func (d *publicDocument) info() docs.Info {
	info := docs.Info{Pages: d.d.NumPage(), Warnings: []string{formWarning}}
	if info.Pages > 0 {
		_, err := d.d.Bound(info.Pages - 1)
		info.LastLoads = err == nil
	}
	meta := d.d.Metadata()
	value := func(key string) string {
		s, _, _ := strings.Cut(meta[key], "\x00") // each is a C buffer, whole
		return s
	}
	info.Format = value("format")
	info.Encryption = encryption(value("encryption"))
	info.Metadata = docs.Metadata{
		Title: value("title"), Author: value("author"), Subject: value("subject"), Keywords: value("keywords"),
		Creator: value("creator"), Producer: value("producer"), Created: value("creationDate"), // modDate is always empty here
	}
	return info
}

// encryption is empty for MuPDF's word for none.
func encryption(s string) string {
	if s == "None" {
		return ""
	}
	return s
}

func (d *publicDocument) Pages(ctx context.Context, first, last int, want docs.Want) (pages []docs.Page, err error) {
	for n := first; n <= last; n++ {
		err := d.use(ctx, func() error {
			pages = append(pages, d.page(n, want))
			return nil
		})
		if err != nil {
			return pages, err
		}
	}
	return pages, nil
}

func (d *publicDocument) page(n int, want docs.Want) docs.Page {
	p := docs.Page{Number: n}
	bound, err := d.d.Bound(n - 1)
	if err == nil && want&docs.WantText != 0 {
		p.Text, err = d.d.Text(n - 1)
	}
	if err != nil {
		return docs.Page{Number: n, Err: docs.ErrPage}
	}
	if want&docs.WantInk != 0 {
		p.Ink, p.HasInk = d.ink(n, bound)
	}
	return p
}

// A page's ink is measured on a small picture of it: this many dots an inch,
// and never more than so many each way, whatever size a page says it has.
const (
	inkDPI  = 18
	inkSide = 512
)

func (d *publicDocument) ink(n int, bound image.Rectangle) (share float64, ok bool) {
	side := max(bound.Dx(), bound.Dy())
	if side <= 0 || bound.Dx() > 1<<20 || bound.Dy() > 1<<20 {
		return 0, false
	}
	img, err := d.d.ImageDPI(n-1, min(inkDPI, 72*inkSide/float64(side)))
	if err != nil || len(img.Pix) == 0 {
		return 0, false
	}
	dark := 0
	for i := 0; i+3 < len(img.Pix); i += 4 {
		if img.Pix[i] != 0xff || img.Pix[i+1] != 0xff || img.Pix[i+2] != 0xff {
			dark++
		}
	}
	return float64(4*dark) / float64(len(img.Pix)), true
}

func (d *publicDocument) Close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	if d.closed {
		return nil
	}
	d.closed = true
	return d.d.Close()
}
