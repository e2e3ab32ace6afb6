package docs_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

// stamped are scans with what a law firm's machine puts on every page of a scan.
func stamped(n int) []docs.Page {
	pages := docstest.Scan(n)
	for i := range pages {
		pages[i].Text = "CONFIDENTIAL ARC-000417"
	}
	return pages
}

func TestAScanWithAStampIsNoText(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	pages := append(stamped(2), docs.Page{Text: "Part one: the beginning", Ink: 0.04, HasInk: true}, docstest.Text(prose(300))[0])
	p.script("a.pdf", docstest.Script{Pages: pages})
	t.Run("a search that finds nothing says so", func(t *testing.T) {
		r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "indemnity"})
		want := []string{"The query may also stand where no search sees it, on 2 of the 4 pages searched: pages 1-2 are pictures with few words on them (no OCR)."}
		if !slices.Equal(r.Notices, want) || r.WithoutText != (docs.PageList{Count: 2, Pages: "1-2"}) {
			t.Errorf("it says %q, without text are %+v", r.Notices, r.WithoutText)
		}
	})
	t.Run("a read says so, and shows the stamp", func(t *testing.T) {
		r := p.read(docs.ReadArgs{Path: "a.pdf", EndPage: 1})
		if want := []string{"Not all is text here: page 1 is a picture with few words on it (no OCR)."}; !slices.Equal(r.Notices, want) || r.Pages[0].Text != pages[0].Text {
			t.Errorf("it says %q and shows %q", r.Notices, r.Pages[0].Text)
		}
	})
	t.Run("each page with few words is drawn once, and no other", func(t *testing.T) {
		if n := p.fake.Counts().Inked; n != 3 {
			t.Errorf("%d pages were drawn", n)
		}
	})
}

func TestOfManyPagesWithFewWordsSomeAreDrawn(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.script("a.pdf", docstest.Script{Pages: stamped(50)})

	r := p.search(docs.SearchArgs{Path: "a.pdf", Query: "indemnity"})
	if n := p.fake.Counts().Inked; n != 48 || len(r.Notices) != 1 || !strings.Contains(r.Notices[0], "on 50 of the 50 pages searched: ") ||
		!strings.Contains(r.Notices[0], "have few words, and may be pictures (no OCR).") || r.WithoutText.Count != 48 {
		t.Errorf("%d were drawn; it says %q", n, r.Notices)
	}
	if r = p.search(docs.SearchArgs{Path: "a.pdf", Query: "damages"}); p.fake.Counts().Inked != 48 || r.WithoutText.Count != 48 {
		t.Errorf("the second search has %d drawn", p.fake.Counts().Inked)
	}
}

func TestAPageThatCannotBeDrawnKeepsItsText(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	reads := 0
	p.script("a.pdf", docstest.Script{Pages: docstest.Text("A few words."), Read: func(context.Context, int) error {
		if reads++; reads > 1 {
			return docs.ErrCrashed
		}
		return nil
	}})
	r := p.read(docs.ReadArgs{Path: "a.pdf"})
	if r.Pages[0].Text != "A few words." || !slices.Equal(r.Warnings, []string{docs.WarnInkNotMeasured}) {
		t.Errorf("it is %+v", r)
	}
}
