package docs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// Text is the text of a PDF that is in memory: each page behind a line "[page N]",
// which also says so if the page has none, could not be read, or is a picture (of
// pages without words 48 are looked at for that). It is cut at Options.MaxText, and
// where Options.SearchTimeout ends, with a last line that says so. It is what a fetcher
// of web pages is given for those that are PDF files, and needs no Files.
//
// Codes: as [Library.Read], without those of files; invalid_arguments is not among
// them.
func (l *Library) Text(ctx context.Context, pdf []byte) (string, error) {
	text, err := l.text(ctx, pdf)
	return text, pathless(err)
}

// pathless is an error of a document that has no path, without one in its detail.
func pathless(err error) error {
	var e *arc.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	switch d := e.Detail.(type) {
	case sizeDetail:
		d.Path = ""
		c.Detail = d
	case pathDetail:
		if d.Path = ""; d == (pathDetail{}) {
			c.Detail = nil
		} else {
			c.Detail = d
		}
	}
	return &c
}

func (l *Library) text(ctx context.Context, pdf []byte) (string, error) {
	const name = "the document"
	ctx, end, err := l.begin(ctx, l.opts.SearchTimeout)
	if err != nil {
		return "", err
	}
	defer end()
	if size := int64(len(pdf)); size > l.opts.MaxSize {
		return "", tooLarge(name, size, l.opts.MaxSize)
	}
	p, err := newPrivate(ctx, l.opts.TempDir, bytes.NewReader(pdf), l.opts.MaxSize)
	if err != nil {
		return "", l.sourceFault(ctx, err, name)
	}
	d := l.shelf.take(&version{p.sha256, p.size, p})
	defer l.shelf.give(d)
	v := &view{l: l, d: d, path: name, pdf: pdf}
	about, err := v.about(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	next, drawn := 1, 0
	for next <= about.pages && b.Len() < l.opts.MaxText {
		got, err := v.pages(ctx, next, about.pages, wantText)
		for _, p := range got {
			if p.failed == "" && p.printing < sparseFrom && drawn < maxDrawn {
				drawn++
				var err error
				if p, err = v.inked(ctx, p); err != nil && !spent(ctx) {
					return "", err
				}
			}
			b.WriteString(p.shown())
		}
		next += len(got)
		if err != nil {
			if !spent(ctx) || next == 1 {
				return "", err
			}
			fmt.Fprintf(&b, "[the text ends before page %d of %d: time was up]\n", next, about.pages)
			break
		}
	}
	text := b.String()
	if len(text) > l.opts.MaxText || len(text) == l.opts.MaxText && next <= about.pages {
		text = text[:page.Cut(text, l.opts.MaxText)] + "\n[the text is cut here]\n"
	}
	return text, nil
}

// shown is a page as Text shows it.
func (p *pageText) shown() string {
	switch p.status() {
	case StatusFailed:
		return fmt.Sprintf("[page %d: could not be read]\n", p.number)
	case StatusImageOnly:
		if p.text == "" {
			return fmt.Sprintf("[page %d: a picture without text (no OCR)]\n", p.number)
		}
	case StatusNoText, StatusEmpty:
		if p.text == "" {
			return fmt.Sprintf("[page %d: no text]\n", p.number)
		}
	case StatusGarbled:
		return fmt.Sprintf("[page %d: its characters have no known meaning]\n%s\n", p.number, p.text)
	}
	return fmt.Sprintf("[page %d]\n%s\n", p.number, p.text)
}
