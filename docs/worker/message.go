package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/arcseat/arc/docs"
)

// protocol is the version of the frames' contents. Host and worker are mostly
// one program; a command of its own may be older.
const protocol = 1

// A request is what the host asks, one at a time. A worker serves one file, so
// nothing names it.
type request struct {
	Op       string        `json:"op"` // opOpen, opInfo or opPages
	Size     int64         `json:"size,omitempty"`
	SHA256   string        `json:"sha256,omitempty"`
	Password string        `json:"password,omitempty"`
	First    int           `json:"first,omitempty"`
	Last     int           `json:"last,omitempty"`
	Want     docs.Want     `json:"want,omitempty"`
	Limit    time.Duration `json:"limit,omitempty"`  // of the opening, or of each page
	Gather   bool          `json:"gather,omitempty"` // replies may come together: after a crash nobody knows at which page it was
}

const (
	opOpen  = "open"  // answered by one reply
	opInfo  = "info"  // answered by one reply with Info
	opPages = "pages" // answered by a reply for each page, in order, and a second for its ink if that is wanted and the first has no error
)

// A reply is what the worker says. A page's text is the body of its frame.
type reply struct {
	Hello *hello     `json:"hello,omitempty"` // the first that a worker says, unasked
	Info  *docs.Info `json:"info,omitempty"`
	Page  *page      `json:"page,omitempty"`
	Error string     `json:"error,omitempty"` // a word of errorWords
}

type hello struct {
	Protocol int    `json:"protocol"`
	Engine   string `json:"engine"`
	Missing  string `json:"missing,omitempty"` // why there is no engine
}

type page struct {
	Number   int      `json:"number"`
	Label    string   `json:"label,omitempty"`
	Ink      float64  `json:"ink,omitempty"`
	HasInk   bool     `json:"has_ink,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// errorWords are the errors that cross the pipe. What is not here crosses as
// damaged, or on a page as page.
var errorWords = []struct {
	word string
	err  error
}{
	{"encrypted", docs.ErrEncrypted},
	{"not_pdf", docs.ErrNotPDF},
	{"damaged", docs.ErrDamaged},
	{"page", docs.ErrPage},
	{"memory", docs.ErrMemory},
	{"timeout", docs.ErrTimeout},
	{"timeout", context.DeadlineExceeded},
	{"crashed", docs.ErrCrashed},
	{"unavailable", docs.ErrUnavailable},
}

// wordOf is err's word, other where it has none, and empty for nil.
func wordOf(err error, other string) string {
	if err == nil {
		return ""
	}
	for _, e := range errorWords {
		if errors.Is(err, e.err) {
			return e.word
		}
	}
	return other
}

// errorOf is the error of a word. A word that nobody knows is a breach.
func errorOf(word string) (err error, known bool) {
	if word == "" {
		return nil, true
	}
	for _, e := range errorWords {
		if e.word == word {
			return e.err, true
		}
	}
	return nil, false
}

// Limits of what a worker may say of a file, in bytes and items. A worker that
// has been taken over by a file says what it likes.
const (
	maxText     = maxFrame - 64<<10 // of one page
	maxField    = 16 << 10          // of a field of the metadata: eight of them, escaped, fit a header
	maxLabel    = 256
	maxWarnings = 32
	maxWord     = 64 // of a warning
)

// checkHello tests a worker's first words.
func checkHello(h *hello) error {
	switch {
	case h == nil:
		return fmt.Errorf("%w: no hello", errFrame)
	case h.Protocol != protocol:
		return docs.Unavailable(fmt.Sprintf("the worker speaks version %d of the protocol and the host version %d; build both from one version", h.Protocol, protocol))
	case h.Missing != "":
		return docs.Unavailable(cut(h.Missing, 1024))
	case len(h.Engine) > 256:
		return fmt.Errorf("%w: the engine's name has %d bytes", errFrame, len(h.Engine))
	}
	return nil
}

// checkInfo cuts what is too long; the rest is for package docs to doubt.
func checkInfo(in *docs.Info) {
	in.Warnings = words(in.Warnings)
	m := &in.Metadata
	for _, f := range []*string{&in.Format, &in.Encryption} {
		*f = cut(*f, maxLabel)
	}
	for _, f := range []*string{&m.Title, &m.Author, &m.Subject, &m.Keywords, &m.Creator, &m.Producer, &m.Created, &m.Modified} {
		*f = cut(*f, maxField)
	}
}

// checkPage makes the page of a reply, which has to be page want.
func checkPage(p *page, text string, want int) (docs.Page, error) {
	if p == nil || p.Number != want {
		return docs.Page{}, fmt.Errorf("%w: not page %d", errFrame, want)
	}
	if math.IsNaN(p.Ink) || p.Ink < 0 || p.Ink > 1 {
		return docs.Page{}, fmt.Errorf("%w: ink is %v", errFrame, p.Ink)
	}
	err, known := errorOf(p.Error)
	if !known {
		return docs.Page{}, fmt.Errorf("%w: an error that nobody knows", errFrame)
	}
	return docs.Page{
		Number: p.Number, Text: text, Label: cut(p.Label, maxLabel), Ink: p.Ink, HasInk: p.HasInk,
		Warnings: words(p.Warnings), Err: err,
	}, nil
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// words keeps what has the form of a warning: lower-case letters, digits and
// low lines. Nothing of a file can hide in it.
func words(in []string) []string {
	var out []string
	for _, w := range in {
		if len(out) == maxWarnings {
			break
		}
		if isWord(w) {
			out = append(out, w)
		}
	}
	return out
}

func isWord(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' {
			return false
		}
	}
	return true
}
