//go:build linux && cgo

package docs_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/docs/fitz"
	"github.com/arcseat/arc/tools"
)

// whole makes the tests of real files take all of them, which takes minutes.
var whole = flag.Bool("corpus", false, "read every file of the corpora, not a sample")

// folders are those of real and of crafted files that stand beside some checkouts.
func folders() []string {
	for _, base := range []string{os.Getenv("ARC_PDF_DATA"), "../../shared/data"} {
		if dirs := []string{filepath.Join(base, "pdf"), filepath.Join(base, "pdf-crafted")}; base != "" && exists(dirs[0]) {
			return dirs
		}
	}
	return nil
}

// corpora are the folders; without them a test is skipped, unless -corpus asks for them.
func corpora(t testing.TB) []string {
	t.Helper()
	if dirs := folders(); dirs != nil {
		return dirs
	}
	if *whole {
		t.Fatal("-corpus needs PDF files: set ARC_PDF_DATA to a folder that has them in its folders pdf and pdf-crafted")
	}
	t.Skip("no folder of PDF files is here")
	return nil
}

// corpusFiles are the names of the files, a part of them unless all are wanted.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, dir := range corpora(t) {
		some, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, some...)
	}
	if *whole {
		return names
	}
	var sample []string
	for i := 0; i < len(names); i += 16 {
		sample = append(sample, names[i])
	}
	return sample
}

// A corpus is a library on files wherever they are, with MuPDF in a worker.
type corpus struct {
	*docs.Library
	*tools.Session
	t testing.TB
}

func (*corpus) OpenFile(_ context.Context, path string) (*os.File, error) { return os.Open(path) }

func newCorpus(t testing.TB, o *docs.Options) *corpus {
	t.Helper()
	engine, err := fitz.New(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &corpus{t: t}
	c.Library = docs.New(c, engine, o)
	t.Cleanup(func() {
		if err := errors.Join(c.Library.Close(), engine.Close()); err != nil {
			t.Error(err)
		}
	})
	set, err := tools.NewSet([]arc.Provider{c.Library}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Session = set.Session(turn)
	return c
}

// use calls a tool, whose result is no longer than it may be.
func (c *corpus) use(name, format string, args ...any) *arc.Result {
	c.t.Helper()
	began := time.Now()
	r := c.Call(c.t.Context(), arc.Call{Name: "workspace_document_" + name, Args: fmt.Appendf(nil, format, args...)})
	if n := len(r.String()); n > tools.MaxBody {
		c.t.Errorf("%s %q: %d bytes", name, args, n)
	}
	if d := time.Since(began); d > 2*time.Minute {
		c.t.Errorf("%s %q took %s", name, args, d)
	}
	if r.Err != nil && (r.Err.Code == arc.Internal || strings.Contains(r.Err.Message, os.TempDir())) {
		c.t.Errorf("%s %q: %s: %v", name, args, r, r.Err.Err)
	}
	return r
}

// outcome inspects, searches and reads one file to its end.
func (c *corpus) outcome(path string) string {
	c.t.Helper()
	r := c.use("inspect", `{"path":%q}`, path)
	if r.Err != nil {
		return string(r.Err.Code)
	}
	about := r.Data.(*docs.InspectResult)
	next, calls := c.use("search", `{"path":%q,"query":"the"}`, path).Next, 0
	for ; next != nil && calls < 3; calls++ {
		a := next.Arguments.(docs.SearchArgs)
		next = c.use("search", `{"path":%q,"query":%q,"start_page":%d,"limit":%d}`, path, a.Query, a.StartPage, a.Limit).Next
	}
	c.joins(path, about.PageCount)
	return string(about.TextLayer.Status)
}

// joins fails unless the pages that reads show, joined, are the whole text.
func (c *corpus) joins(path string, count int) {
	c.t.Helper()
	var joined strings.Builder
	a := docs.ReadArgs{StartPage: 1}
	for {
		r := c.use("read", `{"path":%q,"start_page":%d,"end_page":%d,"start_character":%d}`, path, a.StartPage, count, a.StartCharacter)
		if r.Err != nil {
			c.t.Errorf("%s at %+v: %s", path, a, r)
			return
		}
		for _, p := range r.Data.(*docs.ReadResult).Pages {
			if p.StartCharacter == 0 {
				joined.WriteString(pageHead(p))
			}
			joined.WriteString(p.Text)
			if p.EndCharacter == p.Characters && (p.Status == docs.StatusText || p.Status == docs.StatusSparse || p.Status == docs.StatusGarbled || p.Characters > 0) {
				joined.WriteByte('\n')
			}
		}
		if r.Next == nil {
			break
		}
		a = nextRead(c.t, a, r.Next)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	text, err := c.Text(c.t.Context(), content)
	if err != nil || text != joined.String() {
		c.t.Errorf("%s: joined pages have %d bytes, the whole %d, %v", path, joined.Len(), len(text), err)
	}
}

// pageHead is how Text begins a page.
func pageHead(p docs.PageText) string {
	switch {
	case p.Status == docs.StatusFailed:
		return fmt.Sprintf("[page %d: could not be read]\n", p.Page)
	case p.Status == docs.StatusGarbled:
		return fmt.Sprintf("[page %d: its characters have no known meaning]\n", p.Page)
	case p.Characters == 0 && p.Status == docs.StatusImageOnly:
		return fmt.Sprintf("[page %d: a picture without text (no OCR)]\n", p.Page)
	case p.Characters == 0:
		return fmt.Sprintf("[page %d: no text]\n", p.Page)
	}
	return fmt.Sprintf("[page %d]\n", p.Page)
}

// good fails unless a file that was never seen is read.
func (c *corpus) good(dir string, n int) {
	c.t.Helper()
	path := filepath.Join(dir, fmt.Sprintf("good-%d.pdf", n))
	words := fmt.Sprintf("The words of file %d.", n)
	if err := os.WriteFile(path, docstest.File{Pages: []docstest.Page{{Lines: []string{words}}}}.Bytes(), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if r := c.use("read", `{"path":%q}`, path); r.Err != nil || !strings.Contains(r.Body, words) {
		c.t.Errorf("after a bad file a good one is %s", r)
	}
}

func TestEveryFileHasAnOutcome(t *testing.T) {
	_, before := peaks(t)
	c := newCorpus(t, &docs.Options{MaxText: 64 << 20})
	dir := t.TempDir()
	counts, names := map[string]int{}, map[string][]string{}
	files := corpusFiles(t)
	for i, path := range files {
		o := c.outcome(path)
		counts[o]++
		names[o] = append(names[o], filepath.Base(path))
		switch docs.LayerStatus(o) {
		case docs.LayerText, docs.LayerMixed, docs.LayerEmpty, docs.LayerImageOnly, docs.LayerGarbled:
		default:
			c.good(dir, i)
		}
	}
	t.Logf("score: pdf %d ≥ 1 files, each with an outcome", len(files))
	for _, o := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %-16s %s", counts[o], o, strings.Join(names[o][:min(60, len(names[o]))], " "))
	}
	if err := errors.Join(c.Library.Close()); err != nil {
		t.Error(err)
	}
	host, workers := peaks(t)
	t.Logf("memory: host %d MiB, largest worker %d MiB", host, workers)
	if workers == before { // other children than workers ran before and took more
		t.Log("so that is not the workers'")
		return
	}
	if host+workers > 600 && !raceEnabled {
		t.Errorf("host and worker took %d MiB together", host+workers)
	}
}

// peaks are the largest resident sizes of this process and of its children that have
// ended, in MiB.
func peaks(t *testing.T) (self, children int) {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	if _, err := fmt.Sscan(string(rest), &self); err != nil {
		t.Fatal(err)
	}
	return self >> 10, int(r.Maxrss >> 10)
}

// find is a file of the corpora.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range corpora(t) {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	t.Skipf("%s is not here", name)
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestRealFilesAreWhatTheyAre(t *testing.T) {
	corpora(t)
	c := newCorpus(t, nil)
	for _, f := range []struct {
		name    string
		want    string // a status or a code
		warning string
	}{
		{"test_3886.pdf", "image_only", ""},
		{"test_4090.pdf", "image_only", ""},
		{"test_3863.pdf", "image_only", ""},
		{"issue7229.pdf", "image_only", ""},
		{"175.pdf", "image_only", ""},
		{"TAMReview.pdf", "garbled", ""},
		{"issue19802.pdf", "garbled", ""},
		{"test_3072.pdf", "garbled", ""},
		{"complex_ttf_font.pdf", "garbled", ""},
		{"ThuluthFeatures.pdf", "garbled", ""},
		{"derived_mixed_scan_text_garbage.pdf", "mixed", ""},
		{"test_open2.pdf", "mixed", ""},
		{"tiny.pdf", "empty", ""},
		{"filled-background.pdf", "image_only", ""},
		{"xfa_filled_imm1344e.pdf", "text", "xfa_placeholder"},
		{"jo.pdf", "text", ""},
		{"kampo.pdf", "text", ""},
		{"noembed-sjis.pdf", "text", ""},
		{"noembed-identity-2.pdf", "text", ""},
		{"XiaoBiaoSong.pdf", "text", ""},
		{"AcroFormsRotation.pdf", "text", ""},
		{"freetexts.pdf", "text", ""},
		{"tracemonkey.pdf", "text", ""},
		{"append-xref-loop.pdf", "damaged", ""},
		{"issue19484_1.pdf", "damaged", ""},
		{"unreadablemetadata.pdf", "damaged", ""},
		{"GHOSTSCRIPT-698804-1-fuzzed.pdf", "damaged", ""},
		{"count_neg.pdf", "damaged", ""},
		{"count_1e9.pdf", "damaged", ""},
		{"poppler-67295-0.pdf", "damaged", ""},
		{"empty.pdf", "not_pdf", ""},
		{"not_pdf_png.pdf", "not_pdf", ""},
		{"not_pdf_html.pdf", "not_pdf", ""},
		{"not_pdf_text.pdf", "not_pdf", ""},
		{"header_only.pdf", "damaged", ""},
		{"junk_before_2000.pdf", "not_pdf", ""},
		{"junk_before.pdf", "text", ""},
		{"aes-128.pdf", "encrypted", ""},
		{"aes-256-r6.pdf", "encrypted", ""},
		{"saslprep-r6.pdf", "encrypted", ""},
	} {
		t.Run(f.name, func(t *testing.T) {
			r := c.use("inspect", `{"path":%q}`, find(t, f.name))
			if r.Err != nil {
				if string(r.Err.Code) != f.want {
					t.Errorf("it is %s, want %s", r.Err, f.want)
				}
				return
			}
			about := r.Data.(*docs.InspectResult)
			if string(about.TextLayer.Status) != f.want {
				t.Errorf("it is %+v, want %s", about.TextLayer, f.want)
			}
			if f.warning != "" && !slices.Contains(about.Warnings, f.warning) {
				t.Errorf("warnings are %q, want %s", about.Warnings, f.warning)
			}
		})
	}
}

func TestRealTextIsFound(t *testing.T) {
	corpora(t)
	c := newCorpus(t, nil)
	for _, f := range []struct{ name, query string }{
		{"hyphen.pdf", "international"},
		{"hyphen.pdf", "well-known"},
		{"hyphen.pdf", "softhyphen"},
		{"text-find-ligatures.pdf", "flag"},
		{"tracemonkey.pdf", "just-in-time"},
		{"chinese-tables.pdf", "超短期融资券"},
		{"XiaoBiaoSong.pdf", "（ 一 九 三 七 年"},
		{"XiaoBiaoSong.pdf", "（一九三七年"},
		{"freeculture.pdf", "intellectual property"},
	} {
		t.Run(f.name+" "+f.query, func(t *testing.T) {
			r := c.use("search", `{"path":%q,"query":%q}`, find(t, f.name), f.query)
			if r.Err != nil || r.Data.(*docs.SearchResult).MatchCount == 0 {
				t.Errorf("it finds %s", r)
			}
		})
	}
	t.Run("a scan says that it could not be searched", func(t *testing.T) {
		r := c.use("search", `{"path":%q,"query":"the"}`, find(t, "175.pdf"))
		if r.Err != nil || r.Data.(*docs.SearchResult).WithoutText.Count != 2 || len(r.Notices) != 1 {
			t.Errorf("it says %s", r)
		}
	})
	t.Run("so does one with few words on it", func(t *testing.T) {
		path := find(t, "imagemagick-images.pdf")
		for _, r := range []*arc.Result{c.use("search", `{"path":%q,"query":"xylophone"}`, path), c.use("read", `{"path":%q,"end_page":12}`, path)} {
			if r.Err != nil || len(r.Notices) != 1 || !strings.Contains(r.Notices[0], "with few words on") {
				t.Errorf("it says %s", r)
			}
		}
	})
}

func TestRealPasswords(t *testing.T) {
	corpora(t)
	passwords := map[string]string{"aes-128.pdf": "baz", "aes-256-r6.pdf": "usersecret", "saslprep-r6.pdf": "S\u00aaSL\u00adprep"}
	c := newCorpus(t, &docs.Options{Password: func(_ context.Context, path string) (string, error) {
		return passwords[filepath.Base(path)], nil
	}})
	for name := range passwords {
		if r := c.use("read", `{"path":%q}`, find(t, name)); r.Err != nil || len(r.Data.(*docs.ReadResult).Pages) == 0 {
			t.Errorf("%s is %s", name, r)
		}
	}
	if r := c.use("read", `{"path":%q}`, find(t, "issue3371.pdf")); r.Err == nil || r.Err.Code != docs.Encrypted {
		t.Errorf("a file whose password nobody knows is %s", r)
	}
}
