package docs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const seat arc.SeatID = "seat_1"

// A project is a folder of files and a library on it, whose engine is a fake.
type project struct {
	*docs.Library
	t    testing.TB
	dir  string
	fake *docstest.Fake
}

// OpenFile opens a file of the folder; it contains nothing.
func (p *project) OpenFile(_ context.Context, path string) (*os.File, error) {
	return os.Open(filepath.Join(p.dir, path))
}

func newProject(t testing.TB, o *docs.Options) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir(), fake: docstest.NewFake()}
	if o == nil {
		o = &docs.Options{}
	}
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	p.Library = docs.New(p, p.fake, o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if c := p.fake.Counts(); c.Opened != c.Closed {
			t.Errorf("%d documents were opened and %d closed", c.Opened, c.Closed)
		}
	})
	return p
}

func (p *project) put(name string, content []byte) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), content, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// script puts a file there that the engine reads as s says.
func (p *project) script(name string, s docstest.Script) { p.t.Helper(); p.put(name, p.fake.File(s)) }

func (p *project) texts(name string, texts ...string) {
	p.t.Helper()
	p.script(name, docstest.Script{Pages: docstest.Text(texts...)})
}

func (p *project) inspect(name string) *docs.InspectResult {
	p.t.Helper()
	r, err := p.Inspect(p.t.Context(), seat, docs.InspectArgs{Path: name})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *project) read(a docs.ReadArgs) *docs.ReadResult {
	p.t.Helper()
	r, err := p.Read(p.t.Context(), seat, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *project) search(a docs.SearchArgs) *docs.SearchResult {
	p.t.Helper()
	r, err := p.Search(p.t.Context(), seat, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// wantCode fails unless err is an *arc.Error with the code, and returns it.
func wantCode(t testing.TB, err error, code arc.Code) *arc.Error {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error is %v, want %s", err, code)
	}
	if e.Message == "" || strings.Contains(e.Message, os.TempDir()) {
		t.Errorf("message %q is empty or has a host path", e.Message)
	}
	return e
}

// prose is a text of about n characters that is no other's.
func prose(n int) string {
	return strings.TrimSpace(strings.Repeat("These are words of a page that somebody wrote.\n", n/47+1))
}
