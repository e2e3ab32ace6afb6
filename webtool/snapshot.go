package webtool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/webtool/internal/content"
	"github.com/arcseat/arc/webtool/internal/guard"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// Notes of a result that this package adds to those of the text's own making.
const (
	redirectedHost = "redirected_host" // redirects led to another host
	sourceCut      = "source_cut"      // the page is longer than what is read of one, or did not come whole in time
	sourceShort    = "source_short"    // the connection ended before the page did, or the server sent a part of it
	notRead        = "not_read"        // a kind of file that has no text here
)

// A snapshot is a page as it was read once; its text never changes.
type snapshot struct {
	finalURL string
	trail    []string // that led to it
	status   int
	doc      *content.Document
	notes    []string
	partial  bool // the source was cut
	size     int64
	fileHash string // of a file without text, if it was read whole
	hash     string // of the text
	at       time.Time

	etag, modified string
	public         bool // it came from a public address
	noStore        bool
}

// weight is about what keeping it costs, in bytes: strangers decide on the length of
// each of its parts.
func (s *snapshot) weight() int64 {
	n := 1024 + s.doc.Weight() + 2*len(s.finalURL) + len(s.etag) + len(s.modified) // the URL is its key too
	for _, u := range s.trail {
		n += len(u)
	}
	return int64(n)
}

func (w *Web) snapshotOf(ctx context.Context, a *answer, asked *target) (*snapshot, error) {
	s := &snapshot{
		finalURL: a.target.text,
		trail:    a.trail,
		status:   a.status,
		doc:      a.doc,
		notes:    slices.Clone(a.doc.Notes),
		partial:  a.body.cut,
		size:     a.body.size,
		at:       time.Now().UTC(),
		etag:     a.header.Get("Etag"),
		modified: a.header.Get("Last-Modified"),
		public:   guard.IsPublic(a.addr),
		noStore:  strings.Contains(strings.ToLower(a.header.Get("Cache-Control")), "no-store"),
	}
	if a.target.host != asked.host {
		s.notes = append(s.notes, redirectedHost)
	}
	switch {
	case a.body.short:
		s.notes = append(s.notes, sourceShort)
	case a.body.cut:
		s.notes = append(s.notes, sourceCut)
	}
	switch s.doc.Kind {
	case content.PDF, content.Image, content.Binary:
		if err := w.file(ctx, a, s); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256([]byte(s.doc.Text))
	s.hash = hex.EncodeToString(sum[:])
	return s, nil
}

// file is what is said of a file that is no text: that of a PDF if the host has a
// reader, else what it is.
func (w *Web) file(ctx context.Context, a *answer, s *snapshot) error {
	doc := *s.doc
	s.doc = &doc
	if !a.body.cut {
		sum := sha256.Sum256(a.body.data)
		s.fileHash = hex.EncodeToString(sum[:])
	}
	if doc.Kind == content.PDF && w.opts.PDFText != nil {
		if a.body.cut {
			return &arc.Error{
				Code:    arc.TooLarge,
				Message: fmt.Sprintf("the PDF file is larger than the %d bytes that are read of one; download it where a shell is at hand, or use another source.", w.limits.BodyBytes),
				Detail: struct {
					Limit int64 `json:"limit"`
					Size  int64 `json:"size,omitempty"`
				}{w.limits.BodyBytes, max(s.size, 0)},
			}
		}
		text, err := w.opts.PDFText(ctx, a.body.data)
		if err != nil {
			return pdfFailed(ctx, err)
		}
		text = visible.Strip(text)
		doc.Text = text[:page.Cut(text, int(6*w.limits.BodyBytes))]
		return nil
	}
	s.notes = append(s.notes, notRead)
	size := "of unknown size"
	if s.size >= 0 {
		size = fmt.Sprintf("%d bytes", s.size)
	}
	doc.Text = fmt.Sprintf("This is a file of type %s, %s. It has no text that could be shown here. Where a shell is at hand it can be downloaded and examined.\n",
		mediaOf(doc.Media), size)
	return nil
}

func pdfFailed(ctx context.Context, err error) error {
	var known *arc.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return known
	}
	return &arc.Error{
		Code:    DecodeError,
		Message: "the PDF file cannot be read; download it where a shell is at hand, or use another source.",
		Detail:  &FetchFailure{Reason: "pdf"},
		Err:     err,
	}
}

// mediaOf is a media type as it may stand in a sentence of ours: a server's word for
// it is shown only if it is one word.
func mediaOf(media string) string {
	if media == "" || len(media) > 100 || strings.Trim(strings.ToLower(media), "abcdefghijklmnopqrstuvwxyz0123456789/.+-") != "" {
		return "unknown"
	}
	return media
}
