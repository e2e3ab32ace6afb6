package pdfium

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/arcseat/arc/docs"
)

// tiny is a file with one empty page; PDFium rebuilds its table.
const tiny = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n" +
	"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n" +
	"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>\nendobj\n" +
	"trailer\n<< /Size 4 /Root 1 0 R >>\n"

// inside opens tiny in a sandbox and gives it to fn.
func inside(t *testing.T, fn func(context.Context, *document, *sandbox)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.pdf")
	if err := os.WriteFile(path, []byte(tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := New(&Options{CacheDir: TestCacheDir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	opened, err := e.Open(ctx, docs.Source{File: f, Size: int64(len(tiny))}, docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	d := opened.(*document)
	if err := d.with(ctx, func(ctx context.Context, s *sandbox) error { fn(ctx, d, s); return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestASandboxHasNoFiles(t *testing.T) {
	inside(t, func(_ context.Context, d *document, s *sandbox) {
		for _, path := range []string{d.src.File.Name(), "/", "/proc/self/environ"} {
			if _, err := s.inst.OpenDocument(&requests.OpenDocument{FilePath: &path}); err == nil {
				t.Errorf("it opened %s", path)
			} else if accident(err) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}

func TestACrashedSandboxIsThrownAway(t *testing.T) {
	inside(t, func(ctx context.Context, d *document, s *sandbox) {
		crashed, mem, file := s.inst, s.mem, s.file
		err := s.do(ctx, time.Minute, func(pdfium.Pdfium) error {
			return errors.New("wasm error: unreachable\nwasm stack trace:\n\tFPDF_LoadPage")
		})
		if !errors.Is(err, docs.ErrCrashed) || s.inst != nil || s.holds != nil {
			t.Errorf("%v, and it is still there: %v", err, s.inst != nil)
		}
		if mem.all != nil {
			t.Error("its memory was kept")
		}
		if _, err := file.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("it still has the file: %v", err)
		}
		if page, err := d.page(ctx, s, 1, docs.WantText); err != nil || page.Err != nil {
			t.Errorf("the page in the next one: %+v, %v", page, err)
		}
		if s.inst == crashed {
			t.Error("it is the same one")
		}
	})
}

func TestAWornSandboxIsChanged(t *testing.T) {
	inside(t, func(ctx context.Context, d *document, s *sandbox) {
		s.mem.refused = true // as when a picture did not fit, which PDFium survives
		if page, err := d.page(ctx, s, 1, docs.WantText); err != nil || page.Err != nil {
			t.Errorf("%+v, %v", page, err)
		}
		if s.inst != nil {
			t.Error("it goes on")
		}
	})
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	if told, whole := verdict(errors.New("what nobody knows"), false); told != docs.ErrCrashed || whole {
		t.Errorf("an unknown error: %v, %v", told, whole)
	}
	if told, whole := verdict(errors.New("wasm error: unreachable"), true); told != docs.ErrMemory || whole {
		t.Errorf("out of memory: %v, %v", told, whole)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                      "",
		"one":                   "one\n",
		"one\r\ntwo\r\n":        "one\ntwo\n",
		"inter\ufffenational":   "inter-\nnational\n",
		"at the end\ufffe":      "at the end-\n",
		"\r\n":                  "\n",
		strings.Repeat("x", 10): "xxxxxxxxxx\n",
	} {
		if got := lines(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestACallThatIsDoneAsItsTimeEndsLeavesNothingToCall(t *testing.T) {
	inside(t, func(ctx context.Context, d *document, s *sandbox) {
		slow := func(pdfium.Pdfium) error { time.Sleep(50 * time.Millisecond); return nil }
		if err := s.do(ctx, time.Millisecond, slow); err != nil {
			t.Fatalf("what is done is answered with %v", err)
		}
		if err := s.do(ctx, time.Minute, func(p pdfium.Pdfium) error { return s.loads(p, 1) }); !errors.Is(err, docs.ErrTimeout) {
			t.Errorf("the next call is answered with %v", err)
		}
		if p, err := d.page(ctx, s, 1, docs.WantText); err != nil || p.Err != nil {
			t.Errorf("a page after it is %+v, %v", p, err)
		}
	})
}
