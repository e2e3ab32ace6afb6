package docs_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

func TestTextOfBytes(t *testing.T) {
	t.Parallel()
	fake := docstest.NewFake()
	limit := 20 * time.Second
	l := docs.New(nil, fake, &docs.Options{MaxText: 2000, SearchTimeout: limit, TempDir: t.TempDir()})
	defer l.Close()
	t.Run("it is the pages, each behind its number", func(t *testing.T) {
		pages := append(docstest.Text("The first page.", "", "-3-"), garbled(20), docs.Page{Err: docs.ErrPage})
		got, err := l.Text(t.Context(), fake.File(docstest.Script{Pages: pages}))
		want := "[page 1]\nThe first page.\n[page 2: no text]\n[page 3]\n-3-\n[page 4: its characters have no known meaning]\n" +
			strings.Repeat("\ufffd", 20) + "\n[page 5: could not be read]\n"
		if err != nil || got != want {
			t.Errorf("it is %q, %v", got, err)
		}
	})
	t.Run("a picture is called one, and an empty page is not", func(t *testing.T) {
		pages := append(docstest.Scan(1), docs.Page{HasInk: true})
		got, err := l.Text(t.Context(), fake.File(docstest.Script{Pages: pages}))
		if want := "[page 1: a picture without text (no OCR)]\n[page 2: no text]\n"; err != nil || got != want {
			t.Errorf("it is %q, %v", got, err)
		}
	})
	t.Run("of many pages without text some are drawn", func(t *testing.T) {
		l := docs.New(nil, fake, &docs.Options{TempDir: t.TempDir()})
		defer l.Close()
		got, err := l.Text(t.Context(), fake.File(docstest.Script{Pages: docstest.Scan(50)}))
		if want := "[page 48: a picture without text (no OCR)]\n[page 49: no text]\n[page 50: no text]\n"; err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("it is %q, %v", got, err)
		}
	})
	t.Run("an error names no path, for there is none", func(t *testing.T) {
		_, err := l.Text(t.Context(), fake.File(docstest.Script{Password: "x"}))
		if e := wantCode(t, err, docs.Encrypted); e.Detail != nil {
			t.Errorf("it tells %+v", e.Detail)
		}
		_, err = l.Text(t.Context(), []byte("\x89PNG\x0d\x0a\x1a\x0a"))
		told, err := json.Marshal(wantCode(t, err, docs.NotPDF).Detail)
		if want := `{"sniffed":"png"}`; err != nil || string(told) != want {
			t.Errorf("it tells %s, want %s", told, want)
		}
	})
	t.Run("it is bounded, and says so", func(t *testing.T) {
		got, err := l.Text(t.Context(), fake.File(docstest.Script{Pages: docstest.Text(strings.Repeat("é", 5000), "more")}))
		if err != nil || len(got) > 2100 || !strings.HasSuffix(got, "é\n[the text is cut here]\n") {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	t.Run("a text that is as long as it may be is cut if there is more", func(t *testing.T) {
		pages := docstest.Text(slices.Repeat([]string{"é"}, 60)...)
		pages[0].Text = strings.Repeat("x", 2000-len("[page 1]\n\n")-8*len("[page 2]\né\n")-39*len("[page 10]\né\n"))
		got, err := l.Text(t.Context(), fake.File(docstest.Script{Pages: pages}))
		if err != nil || !strings.HasSuffix(got, "[page 48]\né\n\n[the text is cut here]\n") {
			t.Errorf("%d bytes end in %q, %v", len(got), got[max(0, len(got)-60):], err)
		}
	})
	t.Run("what is no PDF is told", func(t *testing.T) {
		_, err := l.Text(t.Context(), []byte("\x89PNG\x0d\x0a\x1a\x0a"))
		wantCode(t, err, docs.NotPDF)
		_, err = l.Text(t.Context(), nil)
		wantCode(t, err, docs.NotPDF)
	})
	t.Run("what is too large too", func(t *testing.T) {
		l := docs.New(nil, fake, &docs.Options{MaxSize: 10})
		defer l.Close()
		_, err := l.Text(t.Context(), []byte("%PDF-1.7 and more"))
		told, err := json.Marshal(wantCode(t, err, arc.TooLarge).Detail)
		if want := `{"size":17,"limit":10}`; err != nil || string(told) != want {
			t.Errorf("it tells %s, want %s", told, want)
		}
	})
	t.Run("it ends with its time and says so", func(t *testing.T) {
		l := docs.New(nil, fake, &docs.Options{SearchTimeout: 100 * time.Millisecond, TempDir: t.TempDir()})
		defer l.Close()
		got, err := l.Text(t.Context(), fake.File(docstest.Script{Pages: docstest.Text("The first page.", "x"), Read: func(ctx context.Context, n int) error {
			if n == 2 {
				return docstest.Hang(ctx, n)
			}
			return nil
		}}))
		if want := "[page 1]\nThe first page.\n[the text ends before page 2 of 2: time was up]\n"; err != nil || got != want {
			t.Errorf("it is %q, %v", got, err)
		}
	})
}
