//go:build cgo && !nocgo

package fitz

import (
	"context"
	"errors"
	"image"
	"strings"

	"github.com/arcseat/arc/docs"
	"github.com/gen2brain/go-fitz"
)

// public is an engine on go-fitz's public functions. It reads no form fields or
// annotations, knows no passwords and no page labels, and cuts a page's text at
// a NUL.
type public struct{}

func (public) Name() string { return "mupdf-" + fitz.FzVersion + "/" + binding + "/public" }

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
	return &publicDocument{d: d, src: src, turn: newTurn()}, nil
}

// publicDocument is an open file. A context is heeded before a call, and not
// during it.
type publicDocument struct {
	d    *fitz.Document
	src  docs.Source // its descriptor stays open as long as the document
	turn turn
}

func (d *publicDocument) Info(ctx context.Context) (info docs.Info, err error) {
	err = d.turn.use(ctx, func() error {
		info = d.info()
		return nil
	})
	return info, err
}

func (d *publicDocument) info() docs.Info {
	info := docs.Info{Pages: d.d.NumPage(), Warnings: []string{docs.WarnFormNotRead}}
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

func (d *publicDocument) Pages(ctx context.Context, first, last int, want docs.Want) (pages []docs.Page, err error) {
	for n := first; n <= last; n++ {
		err := d.turn.use(ctx, func() error {
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

func (d *publicDocument) Close() (err error) {
	d.turn.close(func() { err = d.d.Close() })
	return err
}
