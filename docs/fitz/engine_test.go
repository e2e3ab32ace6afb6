//go:build cgo && !nocgo

package fitz

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/docs/worker"
)

// asPublic makes this program a worker with the engine that a build against
// another library falls back to. A variable is set before any init runs.
var _ = func() bool {
	if len(os.Args) > 1 && os.Args[1] == "public" {
		worker.Main(func(int64) (docs.Engine, error) { return public{}, nil })
	}
	return true
}()

func newEngine(t testing.TB, o *worker.Options) *Engine {
	t.Helper()
	e, err := New(context.Background(), &Options{Worker: o, Main: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestEngine(t *testing.T) {
	t.Parallel()
	docstest.Run(t, func(t testing.TB) docs.Engine { return newEngine(t, nil) }, nil)
}

func TestTheFallback(t *testing.T) {
	t.Parallel()
	make := func(t testing.TB) docs.Engine {
		return newEngine(t, &worker.Options{Command: []string{os.Args[0], "public"}})
	}
	docstest.Run(t, make, &docstest.Options{NoPassword: true, NoDingbats: true})
	t.Run("says that it reads no forms", func(t *testing.T) {
		t.Parallel()
		e := make(t)
		r := read(t, e, fields)
		if !strings.HasSuffix(e.Name(), "/public") || !slices.Contains(r.info.Warnings, docs.WarnFormNotRead) || strings.Contains(r.text(), "filled") {
			t.Errorf("%s reads %q and warns of %q", e.Name(), r.text(), r.info.Warnings)
		}
	})
}

func TestWithoutAWorker(t *testing.T) {
	t.Parallel()
	o := Options{Worker: &worker.Options{Command: []string{"no-such-program"}}}
	if _, err := New(t.Context(), &o); !errors.Is(err, docs.ErrUnavailable) {
		t.Errorf("New returns %v", err)
	}
	o.AllowInProcess = true
	e, err := New(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	if r := read(t, e, good); r.outcome() != nil || r.text() != "a good file\n\n" {
		t.Errorf("a good file reads %q, %v", r.text(), r.outcome())
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestInThisProcess(t *testing.T) {
	t.Parallel()
	docstest.Run(t, func(testing.TB) docs.Engine { return guarded{memory: 256 << 20} }, nil)
}

// result is what reading a whole file came to.
type result struct {
	info  docs.Info
	pages []docs.Page
	err   error
}

func (r result) text() string {
	var b strings.Builder
	for _, p := range r.pages {
		b.WriteString(p.Text)
	}
	return b.String()
}

// outcome is the error of the file, or of its first bad page.
func (r result) outcome() error {
	if r.err != nil {
		return r.err
	}
	for _, p := range r.pages {
		if p.Err != nil {
			return p.Err
		}
	}
	return nil
}

func read(t testing.TB, e docs.Engine, content []byte) (r result) {
	t.Helper()
	return readWith(t, e, content, docs.WantText|docs.WantInk|docs.WantLabel)
}

func readWith(t testing.TB, e docs.Engine, content []byte, want docs.Want) (r result) {
	t.Helper()
	d, err := e.Open(t.Context(), source(t, content), docs.OpenOptions{})
	if err != nil {
		return result{err: err}
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if r.info, r.err = d.Info(t.Context()); r.err == nil && r.info.Pages > 0 {
		r.pages, r.err = d.Pages(t.Context(), 1, min(r.info.Pages, 20), want)
	}
	return r
}

// Reports of such files speak of a service that is gone with "aborting process
// from uncaught error", of one that hangs, and of one that takes all memory.
func TestAHostileFileIsAnError(t *testing.T) {
	t.Parallel()
	// A bomb takes minutes, so this is short; a page of a good file takes
	// milliseconds, so it is long.
	e := newEngine(t, &worker.Options{PageTimeout: 5 * time.Second})
	for _, c := range []struct {
		name    string
		content []byte
		want    error // nil: it is read
	}{
		{"fewer than no pages", negative, docs.ErrDamaged},
		{"a thousand million pages", milliard, docs.ErrPage},
		{"a page that is its own parent", circle, docs.ErrPage},
		{"an outline that never ends", outline, nil},
		{"arrays in arrays", arrays, docs.ErrPage},
		{"an array that breaks off with the file", openArray, docs.ErrDamaged},
		{"a hundred million drawings", formBomb, docs.ErrTimeout},
		{"a picture of ten gigabytes", picture, nil},
		{"a picture that is called PDF", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"), docs.ErrDamaged},
		{"nothing", nil, docs.ErrDamaged},
	} {
		if got := read(t, e, c.content).outcome(); !errors.Is(got, c.want) {
			t.Errorf("%s: the outcome is %v, want %v", c.name, got, c.want)
		}
		if r := read(t, e, good); r.outcome() != nil || r.text() != "a good file\n\n" {
			t.Errorf("after %s a good file reads %q, %v", c.name, r.text(), r.outcome())
		}
	}
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	e := newEngine(t, nil)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"text behind a NUL", nulText, "before A\x00B after\n\n"},
		{"form fields and annotations", fields, "printed\n\nnoted\n\nfilled\n\n"},
		{"form fields that nobody has drawn", unpainted, "printed\n\nfilled\n\n"},
		{"words that gaps alone set apart", gaps, "three words apart\n\n"},
		{"Hebrew that is set from left to right", visual, "שלום עולם\n\n"},
		{"a hyphen at the end of a line stays", hyphenated, "an inter-\nnational well-\nknown thing\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if r := read(t, e, c.content); r.outcome() != nil || r.text() != c.want {
				t.Errorf("it reads %q, %v; want %q", r.text(), r.outcome(), c.want)
			}
		})
	}
	t.Run("text in a font of East Asia that the file names and does not hold, with a warning", func(t *testing.T) {
		t.Parallel()
		r := read(t, e, fontless)
		if r.text() != "あいう\n\n" || !slices.Equal(r.pages[0].Warnings, []string{"cjk_font_missing"}) {
			t.Errorf("it reads %+v", r.pages)
		}
	})
	t.Run("what is outside the page, with a warning", func(t *testing.T) {
		t.Parallel()
		r := read(t, e, offPage)
		if r.text() != "seen\n\nnowhere\n\n" || !slices.Equal(r.pages[0].Warnings, []string{"text_outside_page"}) {
			t.Errorf("it reads %+v", r.pages)
		}
		if r := read(t, e, good); len(r.pages[0].Warnings) != 0 {
			t.Errorf("a good page has the warnings %q", r.pages[0].Warnings)
		}
	})
	t.Run("metadata of any length, and the time of the last change", func(t *testing.T) {
		t.Parallel()
		got := read(t, e, described).info.Metadata
		want := docs.Metadata{Title: strings.Repeat("T", 300), Author: strings.Repeat("é", 200), Modified: "D:20240102030405Z"}
		if got != want {
			t.Errorf("metadata are %+v", got)
		}
	})
}

func TestPasswordsAreSpelledAsFilesWantThem(t *testing.T) {
	t.Parallel()
	for password, want := range map[string][]string{
		"":                    {""},
		"sesame":              {"sesame"},
		"S\u00aaSL\u00adprep": {"S\u00aaSL\u00adprep", "SaSLprep"},
		"a\u00a0b":            {"a\u00a0b", "a b"},
	} {
		if got := spellings(password); !slices.Equal(got, want) {
			t.Errorf("%q is tried as %q, want %q", password, got, want)
		}
	}
}

func TestAContextStopsAPage(t *testing.T) {
	t.Parallel()
	d, err := guarded{memory: 256 << 20}.Open(t.Context(), source(t, formBomb), docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []docs.Want{docs.WantText, docs.WantInk} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if pages, err := d.Pages(ctx, 1, 1, want); !errors.Is(err, context.DeadlineExceeded) && want == docs.WantText {
			t.Errorf("Pages returns %+v, %v", pages, err)
		}
		cancel()
	}
	if pages, err := d.Pages(t.Context(), 1, 1, 0); err != nil || pages[0].Err != nil {
		t.Errorf("the document is of no use after that: %+v, %v", pages, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// Services that read many files have grown by half a megabyte for each that
// could not be read.
func TestNothingIsKeptOfAClosedDocument(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"good": good, "a negative count": negative, "too many pages": milliard, "its own parent": circle, "arrays": arrays, "fields": fields, "a picture": picture, "drawings": formBombOf(3, 10),
	} {
		r := read(t, guarded{memory: 64 << 20}, content) // fails unless Close gives all back
		if r.err == nil && r.info.Pages < 1 {
			t.Errorf("%s: no pages were read", name)
		}
	}
}

func TestMemoryIsLimited(t *testing.T) {
	t.Parallel()
	dense := page("BT /F1 1 Tf 1.2 TL 10 780 Td "+strings.Repeat("(lorem ipsum dolor sit amet consectetur) Tj T* ", 20000)+"ET", nil).pdf("")
	if r := readWith(t, guarded{memory: 8 << 20}, dense, docs.WantText); !errors.Is(r.outcome(), docs.ErrMemory) {
		t.Errorf("the outcome is %v", r.outcome())
	}
	if r := readWith(t, guarded{memory: 256 << 20}, dense, docs.WantText); r.outcome() != nil || len(r.text()) < 39*20000 {
		t.Errorf("with enough of it %d bytes come, and %v", len(r.text()), r.outcome())
	}
}

// Garbage is what a worker is for; that the host's call comes back and the next
// file is read is what this checks.
func FuzzFiles(f *testing.F) {
	for _, seed := range [][]byte{good, negative, circle, outline, nulText, fields, hyphenated, described} {
		f.Add(seed)
	}
	e := newEngine(f, &worker.Options{OpenTimeout: 20 * time.Second, PageTimeout: 5 * time.Second})
	f.Fuzz(func(t *testing.T, content []byte) {
		r := read(t, e, content)
		for i, p := range r.pages {
			if p.Number != i+1 || p.Ink < 0 || p.Ink > 1 {
				t.Errorf("page %d is %+v", i+1, p)
			}
		}
		if r := read(t, e, good); r.text() != "a good file\n\n" {
			t.Errorf("a good file reads %q, %v", r.text(), r.outcome())
		}
	})
}
