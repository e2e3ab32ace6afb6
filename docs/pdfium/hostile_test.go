package pdfium_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/pdfium"
)

// endless is a small file whose second page draws ten thousand times a form that does
// nothing a million times. It needs no memory to speak of, and hours.
func endless(t *testing.T) string {
	t.Helper()
	form := deflate(t, strings.NewReader(strings.Repeat("q Q ", 1_000_000)))
	return assemble(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R 4 0 R 3 0 R] /Count 3 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F 6 0 R >> >> >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 7 0 R /Resources << /XObject << /X 8 0 R >> >> >>",
		stream("BT /F 12 Tf 72 720 Td (Calm.) Tj ET"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		stream(strings.Repeat("/X Do ", 10_000)),
		fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", len(form), form),
	)
}

// flateBomb is a small file whose page unfolds to size bytes of blanks.
func flateBomb(t *testing.T, size int64) string {
	t.Helper()
	packed := deflate(t, io.LimitReader(blanks{}, size))
	return assemble(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
		fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", len(packed), packed),
	)
}

func deflate(t *testing.T, r io.Reader) string {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestAPageThatNeverEndsCostsThatPage(t *testing.T) {
	t.Parallel()
	e := another(t, pdfium.Options{PageTimeout: 2 * time.Second})
	d := open(t, e, write(t, endless(t)))
	got := pages(t, d, 1, 3, docs.WantText)
	if got[0].Text != "Calm.\n" || !errors.Is(got[1].Err, docs.ErrTimeout) || got[2].Text != "Calm.\n" {
		t.Errorf("got %+v", got)
	}
	t.Run("and is not tried again", func(t *testing.T) {
		if again := pages(t, d, 2, 2, docs.WantText)[0].Err; !errors.Is(again, docs.ErrTimeout) {
			t.Errorf("got %v", again)
		}
	})
	t.Run("and the next file is read", func(t *testing.T) {
		next := open(t, e, write(t, onePage("Next.")))
		if got := pages(t, next, 1, 1, docs.WantText)[0].Text; got != "Next.\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestACallersDeadlineEndsAPage(t *testing.T) {
	t.Parallel()
	e := another(t, pdfium.Options{PageTimeout: time.Hour})
	d := open(t, e, write(t, endless(t)))
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	got, err := d.Pages(ctx, 2, 3, docs.WantText)
	if !errors.Is(err, context.DeadlineExceeded) || len(got) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := pages(t, d, 1, 1, docs.WantText)[0].Text; got != "Calm.\n" {
		t.Errorf("the document afterwards: %q", got)
	}
}

func TestClosingEndsAPage(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*pdfium.Engine, docs.Document) error{
		"the document": func(_ *pdfium.Engine, d docs.Document) error { return d.Close() },
		"the engine":   func(e *pdfium.Engine, _ docs.Document) error { return e.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			e := another(t, pdfium.Options{PageTimeout: time.Hour})
			d := open(t, e, write(t, endless(t)))
			asked := make(chan error, 1)
			go func() {
				_, err := d.Pages(context.Background(), 2, 2, docs.WantText)
				asked <- err
			}()
			time.Sleep(50 * time.Millisecond) // it has most likely begun; the answer is the same if not
			if err := end(e, d); err != nil {
				t.Error(err)
			}
			select {
			case err := <-asked:
				if err == nil {
					t.Error("the page ended by itself")
				}
			case <-time.After(time.Minute):
				t.Fatal("the page goes on")
			}
		})
	}
}

func TestAPageThatUnfoldsToMoreThanTheMemory(t *testing.T) {
	t.Parallel()
	e := another(t, pdfium.Options{MemoryBytes: 64 << 20})
	d := open(t, e, write(t, flateBomb(t, 200<<20)))
	if got := pages(t, d, 1, 1, docs.WantText)[0].Err; !errors.Is(got, docs.ErrMemory) {
		t.Errorf("got %v", got)
	}
	next := open(t, e, write(t, onePage("Next.")))
	if got := pages(t, next, 1, 1, docs.WantText)[0].Text; got != "Next.\n" {
		t.Errorf("the next file: %q", got)
	}
}

// A parser that believed the count would set aside gigabytes for it.
func TestADeclaredCountIsNotBelieved(t *testing.T) {
	t.Parallel()
	for _, count := range []string{"1000000000", "-5", "1410065407", "(many)"} {
		t.Run(count, func(t *testing.T) {
			d := open(t, engine, write(t, strings.Replace(onePage("One."), "/Count 1 ", "/Count "+count+" ", 1)))
			info, err := d.Info(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if info.Pages > 1 && info.LastLoads {
				t.Errorf("page %d is said to load", info.Pages)
			}
			if info.Pages == 1 {
				if got := pages(t, d, 1, 1, docs.WantText)[0]; got.Text != "One.\n" {
					t.Errorf("its page: %+v", got)
				}
			}
		})
	}
}

// Circles that made other engines end the process or run for ever.
func TestCircles(t *testing.T) {
	t.Parallel()
	one := onePage("Round.")
	for name, content := range map[string]string{
		"a page that is its own parent":       strings.Replace(one, "/Type /Page /Parent 2 0 R", "/Type /Page /Parent 3 0 R", 1),
		"a folder of pages that holds itself": strings.Replace(one, "/Kids [3 0 R]", "/Kids [2 0 R]", 1),
		"contents that are their own page":    strings.Replace(one, "/Contents 4 0 R", "/Contents 3 0 R", 1),
		"an outline that comes round": assemble(
			"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>",
			"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
			stream("BT /F 12 Tf 72 720 Td (Round.) Tj ET"),
			"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
			"<< /Type /Outlines /First 7 0 R /Last 7 0 R >>",
			"<< /Title (A) /Next 7 0 R /Parent 7 0 R /First 7 0 R >>",
		),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := engine.Open(context.Background(), write(t, content), docs.OpenOptions{})
			if err != nil {
				outcome(t, err)
				return
			}
			defer d.Close()
			if _, err := d.Info(context.Background()); err != nil {
				outcome(t, err)
			}
			got, err := d.Pages(context.Background(), 1, 1, docs.WantText|docs.WantInk|docs.WantLabel)
			if err != nil {
				outcome(t, err)
				return
			}
			if got[0].Err != nil {
				outcome(t, got[0].Err)
			} else if got[0].Text != "" && got[0].Text != "Round.\n" {
				t.Errorf("got %q", got[0].Text)
			}
		})
	}
}
