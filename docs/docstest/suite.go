package docstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
)

// Options of Run. Nil is fine.
type Options struct {
	// NoPassword says that the engine cannot open files with a password: it must still
	// say that they need one.
	NoPassword bool
	// NoDingbats says that the engine does not know the signs of ZapfDingbats, which
	// are the ticks of forms.
	NoDingbats bool
	// Patience is how long an engine may take for one file of the suite, or to return
	// when its context ended, on a busy machine. 0: one minute.
	Patience time.Duration
}

// Run fails t for every rule of package docs that an engine breaks, each in a subtest
// of its own. The engine that make returns is used by several goroutines.
func Run(t *testing.T, make func(testing.TB) docs.Engine, o *Options) {
	s := &suite{engine: make(t)}
	if o != nil {
		s.opts = *o
	}
	if s.opts.Patience <= 0 {
		s.opts.Patience = time.Minute
	}
	for _, rule := range rules {
		t.Run(rule.says, func(t *testing.T) { rule.check(s, t) })
	}
}

type suite struct {
	engine docs.Engine
	opts   Options
}

var rules = []struct {
	says  string
	check func(*suite, *testing.T)
}{
	{"it has a name that stays the same", (*suite).name},
	{"pages come in order, each with its own text", (*suite).order},
	{"pages may be asked for in any order, and again", (*suite).anyOrder},
	{"text is in content order, a line feed behind each line", (*suite).lines},
	{"letters of all scripts arrive as they are", (*suite).scripts},
	{"ticks in the font of ticks arrive as ticks", (*suite).dingbats},
	{"a file says what it is", (*suite).info},
	{"a zero want says whether a page loads", (*suite).loads},
	{"blank paper and ink are told apart, if ink is measured", (*suite).ink},
	{"printed page numbers are told, if the engine knows of them", (*suite).labels},
	{"a file with a password needs it", (*suite).password},
	{"a file that is none is an error of this file", (*suite).notOne},
	{"a damaged file is an error, or fewer pages, and costs nothing else", (*suite).damaged},
	{"a file that lies about its pages costs nothing else", (*suite).liars},
	{"a file that goes in circles costs nothing else", (*suite).circles},
	{"many pages are read in parts that make the whole", (*suite).many},
	{"several documents are read at once", (*suite).documents},
	{"several goroutines read one document", (*suite).goroutines},
	{"a context that has ended ends a call", (*suite).canceled},
	{"a closed document answers with an error", (*suite).closed},
	{"the file is not written to", (*suite).unchanged},
}

// source is a private copy of content, as package docs makes it.
func source(t *testing.T, content []byte) docs.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return docs.Source{File: f, Size: int64(len(content)), SHA256: hashOf(content)}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (s *suite) ctx(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), s.opts.Patience)
	t.Cleanup(cancel)
	return ctx
}

func (s *suite) open(t *testing.T, f File) docs.Document {
	t.Helper()
	d, err := s.engine.Open(s.ctx(t), source(t, f.Bytes()), docs.OpenOptions{})
	if err != nil {
		t.Fatalf("a good file does not open: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// pages reads pages that can be read.
func (s *suite) pages(t *testing.T, d docs.Document, first, last int, want docs.Want) []docs.Page {
	t.Helper()
	pages, err := d.Pages(s.ctx(t), first, last, want)
	if err != nil {
		t.Fatalf("pages %d to %d: %v", first, last, err)
	}
	if len(pages) != last-first+1 {
		t.Fatalf("pages %d to %d: %d pages came", first, last, len(pages))
	}
	for i, p := range pages {
		if p.Number != first+i || p.Err != nil {
			t.Fatalf("in place of page %d: %+v", first+i, p)
		}
	}
	return pages
}

// numbered is a file of n pages, each with a text of its own.
func numbered(n int) File {
	f := File{Title: "Numbered"}
	for i := range n {
		f.Pages = append(f.Pages, Page{Lines: []string{
			"This page has the word " + word(i+1) + " to tell it from others,",
			"and a second line, so that it looks like a page of a book.",
		}})
	}
	return f
}

// word is a word for a number that no other number's word begins with.
func word(n int) string { return fmt.Sprintf("number%dth", n) }

func (s *suite) isPage(t *testing.T, p docs.Page, n int) {
	t.Helper()
	if !strings.Contains(p.Text, word(n)+" ") || p.Number != n {
		t.Errorf("page %d is %d and says %q", n, p.Number, p.Text)
	}
}

// good fails unless the engine still reads a good file.
func (s *suite) good(t *testing.T) {
	t.Helper()
	s.isPage(t, s.pages(t, s.open(t, numbered(2)), 2, 2, docs.WantText)[0], 2)
}

func (s *suite) name(t *testing.T) {
	if n := s.engine.Name(); n == "" || n != s.engine.Name() {
		t.Errorf("the name is %q, then %q", n, s.engine.Name())
	}
}

func (s *suite) order(t *testing.T) {
	d := s.open(t, numbered(14))
	for i, p := range s.pages(t, d, 1, 14, docs.WantText) {
		s.isPage(t, p, i+1)
	}
}

func (s *suite) anyOrder(t *testing.T) {
	d := s.open(t, numbered(9))
	for _, r := range [][2]int{{9, 9}, {2, 4}, {1, 1}, {3, 7}, {2, 4}} {
		for i, p := range s.pages(t, d, r[0], r[1], docs.WantText) {
			s.isPage(t, p, r[0]+i)
		}
	}
}

func (s *suite) lines(t *testing.T) {
	d := s.open(t, File{Pages: []Page{{Lines: []string{"first line", "second line", "third line"}}}})
	text := strings.ReplaceAll(s.pages(t, d, 1, 1, docs.WantText)[0].Text, "\r\n", "\n")
	if got := strings.Join(strings.Fields(text), " "); got != "first line second line third line" {
		t.Errorf("the text is %q", text)
	}
	for _, l := range []string{"first line", "second line"} {
		if !strings.Contains(text, l+"\n") && !strings.Contains(text, l+" \n") {
			t.Errorf("no line feed behind %q in %q", l, text)
		}
	}
}

func (s *suite) info(t *testing.T) {
	f := numbered(3)
	f.Title, f.Author = "Über Zahlen", "A. N. Author"
	info, err := s.open(t, f).Info(s.ctx(t))
	if err != nil {
		t.Fatal(err)
	}
	if info.Pages != 3 || !info.LastLoads {
		t.Errorf("pages are %d, and the last loads: %v", info.Pages, info.LastLoads)
	}
	if !strings.Contains(info.Format, "1.4") || info.Encryption != "" {
		t.Errorf("format is %q and encryption %q, want 1.4 and none", info.Format, info.Encryption)
	}
	if info.Metadata.Title != f.Title || info.Metadata.Author != f.Author {
		t.Errorf("metadata are %+v", info.Metadata)
	}
	if c := info.Metadata.Created; c != "" && !strings.HasPrefix(strings.TrimPrefix(c, "D:"), "20240229123456") {
		t.Errorf("the file was made %q", c)
	}
}

func (s *suite) loads(t *testing.T) {
	for _, p := range s.pages(t, s.open(t, numbered(3)), 1, 3, 0) {
		if p.Text != "" || p.HasInk {
			t.Errorf("page %d has more than was asked for: %+v", p.Number, p)
		}
	}
}

func (s *suite) ink(t *testing.T) {
	d := s.open(t, File{Pages: []Page{{}, {Ink: true}}})
	pages := s.pages(t, d, 1, 2, docs.WantText|docs.WantInk)
	for i, p := range pages {
		if strings.TrimSpace(p.Text) != "" {
			t.Errorf("page %d has the text %q", i+1, p.Text)
		}
	}
	if !pages[0].HasInk || !pages[1].HasInk {
		t.Skip("ink is not measured")
	}
	if pages[0].Ink > 0.001 || pages[1].Ink < 0.05 || pages[1].Ink > 0.3 {
		t.Errorf("ink of blank paper is %g, of one that is an eighth dark %g", pages[0].Ink, pages[1].Ink)
	}
}

func (s *suite) labels(t *testing.T) {
	f := numbered(3)
	f.Pages[0].Label, f.Pages[1].Label, f.Pages[2].Label = "xiv", "A-1", "A-2"
	pages := s.pages(t, s.open(t, f), 1, 3, docs.WantLabel)
	if pages[0].Label == "" {
		t.Skip("labels are not read")
	}
	for i, want := range []string{"xiv", "A-1", "A-2"} {
		if pages[i].Label != want {
			t.Errorf("page %d is labelled %q, want %q", i+1, pages[i].Label, want)
		}
	}
}

func (s *suite) password(t *testing.T) {
	f := numbered(2)
	f.Password = "open sesame"
	src := source(t, f.Bytes())
	for _, wrong := range []string{"", "wrong"} {
		if d, err := s.engine.Open(s.ctx(t), src, docs.OpenOptions{Password: wrong}); !errors.Is(err, docs.ErrEncrypted) {
			if err == nil {
				d.Close()
			}
			t.Errorf("the password %q is answered with %v", wrong, err)
		}
	}
	d, err := s.engine.Open(s.ctx(t), src, docs.OpenOptions{Password: f.Password})
	if s.opts.NoPassword {
		if !errors.Is(err, docs.ErrEncrypted) {
			t.Errorf("an engine that takes no password says %v", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("the right password is answered with %v", err)
	}
	defer d.Close()
	s.isPage(t, s.pages(t, d, 2, 2, docs.WantText)[0], 2)
	if info, err := d.Info(s.ctx(t)); err != nil || info.Encryption == "" {
		t.Errorf("of its encryption it says %q, %v", info.Encryption, err)
	}
}

func (s *suite) notOne(t *testing.T) {
	for name, content := range map[string][]byte{
		"nothing":       {},
		"a header":      []byte("%PDF-1.7\n"),
		"words":         []byte("%PDF-1.7\n" + strings.Repeat("these are words and no objects\n", 100)),
		"the same byte": append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte{0xff}, 10_000)...),
	} {
		s.refused(t, name, content, false)
	}
	s.good(t)
}

// refused reads a bad file: it does not open, or says that it has no pages, or, if
// pages are allowed, gives what there is. Errors are those of package docs and hold
// no text of the file.
func (s *suite) refused(t *testing.T, name string, content []byte, pages bool) {
	t.Helper()
	const secret = "number"
	check := func(err error) {
		t.Helper()
		if !known(err) {
			t.Errorf("%s: the error is none of this package: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error has text of the file: %v", name, err)
		}
	}
	ctx := s.ctx(t)
	d, err := s.engine.Open(ctx, source(t, content), docs.OpenOptions{})
	if err != nil {
		check(err)
		return
	}
	defer d.Close()
	info, err := d.Info(ctx)
	if err != nil {
		check(err)
		return
	}
	if !pages && info.Pages > 0 {
		if got, err := d.Pages(ctx, 1, 1, docs.WantText); err == nil && len(got) > 0 && got[0].Err == nil && strings.TrimSpace(got[0].Text) != "" {
			t.Errorf("%s has a page that says %q", name, got[0].Text)
		}
		return
	}
	if info.Pages < 1 {
		return
	}
	got, err := d.Pages(ctx, 1, min(info.Pages, 20), docs.WantText|docs.WantInk)
	check(err)
	for _, p := range got {
		check(p.Err)
	}
}

// known reports whether err is one that package docs knows.
func known(err error) bool {
	for _, e := range []error{
		nil, docs.ErrEncrypted, docs.ErrNotPDF, docs.ErrDamaged, docs.ErrPage, docs.ErrMemory, docs.ErrTimeout, docs.ErrCrashed,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (s *suite) damaged(t *testing.T) {
	whole := numbered(6).Bytes()
	for name, content := range map[string][]byte{
		"half a file":        whole[:len(whole)/2],
		"no end":             whole[:len(whole)-200],
		"no beginning":       whole[200:],
		"a hole":             append(append(append([]byte{}, whole[:600]...), make([]byte, 600)...), whole[1200:]...),
		"wrong cross-refs":   bytes.ReplaceAll(whole, []byte(" 00000 n"), []byte(" 00001 n")),
		"a wrong start":      bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1),
		"streams cut short":  bytes.ReplaceAll(whole, []byte("/Length 1"), []byte("/Length 9")),
		"junk in its middle": bytes.Replace(whole, []byte("endobj"), []byte("<<[[((endobj"), 5),
	} {
		s.refused(t, name, content, true)
	}
	s.good(t)
}

func (s *suite) liars(t *testing.T) {
	for _, count := range []string{"-5", "0", "1000000000", "99999999999999999999", "(two)", "[1 2]", "null"} {
		f := numbered(2)
		f.Count = count
		s.refused(t, "/Count "+count, f.Bytes(), true)
	}
	s.good(t)
}

func (s *suite) circles(t *testing.T) {
	tree := func(content string) []byte {
		return bytes.Replace(numbered(2).Bytes(), []byte("/Type/Pages"), []byte(content), 1)
	}
	whole := string(numbered(2).Bytes())
	for name, content := range map[string][]byte{
		"a tree that is its own parent": tree("/Type/Pages/Parent 3 0 R"),
		"a tree that holds itself":      []byte(strings.Replace(whole, "/Kids[", "/Kids[3 0 R ", 1)),
		"pages that hold themselves":    []byte(strings.ReplaceAll(whole, "/Type/Page/", "/Type/Pages/Kids[3 0 R]/Count 9/")),
		"fonts that are the page":       []byte(strings.Replace(whole, "/F1 ", "/F1 5 0 R/F9 ", 1)),
	} {
		s.refused(t, name, content, true)
	}
	s.good(t)
}

func (s *suite) many(t *testing.T) {
	const n, part = 300, 24
	d := s.open(t, numbered(n))
	for first := 1; first <= n; first += part {
		last := min(n, first+part-1)
		for i, p := range s.pages(t, d, first, last, docs.WantText|docs.WantLabel) {
			s.isPage(t, p, first+i)
		}
	}
}

func (s *suite) documents(t *testing.T) {
	var all []docs.Document
	for n := 1; n <= 4; n++ {
		all = append(all, s.open(t, numbered(n)))
	}
	for range 2 {
		for i, d := range all {
			s.isPage(t, s.pages(t, d, i+1, i+1, docs.WantText)[0], i+1)
		}
	}
}

func (s *suite) goroutines(t *testing.T) {
	const n = 4
	d := s.open(t, numbered(n))
	ctx := s.ctx(t)
	var wg sync.WaitGroup
	for g := 1; g <= n; g++ {
		wg.Go(func() {
			for range 3 {
				pages, err := d.Pages(ctx, g, g, docs.WantText)
				if err != nil || len(pages) != 1 {
					t.Errorf("page %d: %d pages, %v", g, len(pages), err)
					return
				}
				s.isPage(t, pages[0], g)
			}
		})
	}
	wg.Wait()
}

func (s *suite) canceled(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	src := source(t, numbered(2).Bytes())
	if d, err := s.engine.Open(ended, src, docs.OpenOptions{}); !errors.Is(err, context.Canceled) {
		if err == nil {
			d.Close()
		}
		t.Errorf("opening answers %v", err)
	}
	d := s.open(t, numbered(40))
	if _, err := d.Pages(ended, 1, 40, docs.WantText); !errors.Is(err, context.Canceled) {
		t.Errorf("reading answers %v", err)
	}
	// The document may be of no use now, but the engine is.
	s.good(t)
}

func (s *suite) closed(t *testing.T) {
	d, err := s.engine.Open(s.ctx(t), source(t, numbered(2).Bytes()), docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	d.Close() // again, which must not be worse than an error
	if _, err := d.Pages(s.ctx(t), 1, 1, docs.WantText); err == nil {
		t.Error("a closed document has pages")
	}
	s.good(t)
}

func (s *suite) unchanged(t *testing.T) {
	content := numbered(3).Bytes()
	src := source(t, content)
	d, err := s.engine.Open(s.ctx(t), src, docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s.pages(t, d, 1, 3, docs.WantText|docs.WantInk|docs.WantLabel)
	after, err := io.ReadAll(io.NewSectionReader(src.File, 0, src.Size+1))
	if err != nil || hashOf(after) != src.SHA256 {
		t.Errorf("the file is not what it was: %v", err)
	}
}
