package docs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/google/go-cmp/cmp"
)

func garbled(n int) docs.Page {
	return docs.Page{Text: strings.Repeat("\ufffd", n), Ink: 0.1, HasInk: true}
}

func TestTheTextLayerIsWhatItsPagesAre(t *testing.T) {
	t.Parallel()
	text, scan, blank := docstest.Text(prose(500))[0], docstest.Scan(1)[0], docs.Page{HasInk: true}
	failed := docs.Page{Err: docs.ErrPage}
	stamp := docs.Page{Text: "RECEIVED 2024-02-29 DEPT 7", Ink: 0.3, HasInk: true}
	title := docs.Page{Text: "A title, and an author's name", Ink: 0.01, HasInk: true}
	private := docs.Page{Text: strings.Repeat("\ue000\ue001 ", 40), Ink: 0.1, HasInk: true}
	for _, c := range []struct {
		name  string
		pages []docs.Page
		want  docs.LayerStatus
	}{
		{"text", []docs.Page{text, text}, docs.LayerText},
		{"text with a title page", []docs.Page{title, text}, docs.LayerText},
		{"text with a blank page", []docs.Page{text, blank, text}, docs.LayerText},
		{"pictures", []docs.Page{scan, scan}, docs.LayerImageOnly},
		{"pictures and blank pages", []docs.Page{scan, blank}, docs.LayerImageOnly},
		{"pictures with a stamp's few words", []docs.Page{stamp, stamp, scan}, docs.LayerImageOnly},
		{"slides with few words in large letters", []docs.Page{{Text: prose(40), Ink: 0.15, HasInk: true}, text}, docs.LayerText},
		{"nothing", []docs.Page{blank}, docs.LayerEmpty},
		{"text and pictures", []docs.Page{text, scan}, docs.LayerMixed},
		{"characters without a meaning", []docs.Page{garbled(300), text}, docs.LayerGarbled},
		{"private characters", []docs.Page{private}, docs.LayerGarbled},
		{"a few such pages", []docs.Page{garbled(300), text, text}, docs.LayerMixed},
		{"such pages and blank ones", []docs.Page{garbled(300), blank, blank, blank}, docs.LayerGarbled},
		{"control characters", []docs.Page{{Text: strings.Repeat("\x01\x02a", 40), Ink: 0.1, HasInk: true}}, docs.LayerGarbled},
		{"nothing that can be read", []docs.Page{failed, failed}, docs.LayerUnknown},
		{"text and pages that cannot be read", []docs.Page{text, failed}, docs.LayerMixed},
		{"no words, and nobody knows of ink", []docs.Page{{}, {}}, docs.LayerUnknown},
		{"words, and nobody knows of ink", []docs.Page{{Text: prose(500)}}, docs.LayerText},
		{"pages with nothing but a few large letters", []docs.Page{{Text: "Page 12", Ink: 0.01, HasInk: true}}, docs.LayerText},
		{"a picture whose only words are a page number", []docs.Page{{Text: "- 7 -", Ink: 0.2, HasInk: true}}, docs.LayerImageOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, nil)
			p.script("a.pdf", docstest.Script{Pages: c.pages})
			if r := p.inspect("a.pdf"); r.TextLayer.Status != c.want || r.TextLayer.Basis != "full" {
				t.Errorf("the text layer is %+v, want %s", r.TextLayer, c.want)
			}
		})
	}
}

func TestInspectTellsWhatAModelNeeds(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	pages := docstest.Text(prose(940), "", prose(470))
	pages[1] = docstest.Scan(1)[0]
	p.script("a.pdf", docstest.Script{Pages: pages, Info: docs.Info{
		Metadata: docs.Metadata{Title: "A\x00 report\n", Created: "D:20240229123456+01'00'", Modified: "yesterday"},
		Warnings: []string{"repaired", "Not a word!", "repaired"},
	}})
	r := p.inspect("a.pdf")
	hash := r.SHA256
	if len(hash) != 64 {
		t.Fatalf("sha256 is %q", hash)
	}
	r.SHA256 = ""
	got, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "path": "a.pdf",
 "sha256": "",
 "size": 107,
 "format": "PDF 1.7",
 "page_count": 3,
 "page_count_status": "verified",
 "encryption": "none",
 "metadata": {
  "title": "A report",
  "created": "2024-02-29T12:34:56+01:00",
  "modified": "yesterday"
 },
 "text_layer": {
  "status": "mixed",
  "basis": "full",
  "sampled_pages": [
   1,
   2,
   3
  ],
  "counts": {
   "text": 2,
   "sparse": 0,
   "garbled": 0,
   "image_only": 1,
   "empty": 0,
   "failed": 0
  },
  "pages_without_text": [
   2
  ],
  "average_characters": 500,
  "estimated_characters": 1502
 },
 "ocr": "not_included",
 "warnings": [
  "repaired"
 ],
 "untrusted": true
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("inspect, want - got +:\n%s", diff)
	}
	if next := fmt.Sprintf("%+v", *r.Next); next != "{Tool:workspace_document_read Arguments:{Path:a.pdf StartPage:1 EndPage:0 StartCharacter:0}}" {
		t.Errorf("the next call is %s", next)
	}
}

func TestALongDocumentIsSampledEvenly(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	texts := make([]string, 352)
	for i := range texts {
		texts[i] = prose(2000)
	}
	p.texts("a.pdf", texts...)
	r := p.inspect("a.pdf")
	if want := []int{1, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352}; !slices.Equal(r.TextLayer.SampledPages, want) {
		t.Errorf("sampled pages are %v, want %v", r.TextLayer.SampledPages, want)
	}
	if r.TextLayer.Basis != "sample" || p.fake.Counts().Pages != 12 {
		t.Errorf("the basis is %s and %d pages were read", r.TextLayer.Basis, p.fake.Counts().Pages)
	}
	t.Run("and the sampled pages are not read again", func(t *testing.T) {
		p.read(docs.ReadArgs{Path: "a.pdf", StartPage: 32, EndPage: 32})
		if n := p.fake.Counts().Pages; n != 12 {
			t.Errorf("%d pages were read", n)
		}
	})
}

func TestMetadataAreBounded(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	long := strings.Repeat("漢", 5000)
	p.script("a.pdf", docstest.Script{Pages: docstest.Text("x"), Info: docs.Info{Metadata: docs.Metadata{
		Title: long, Author: long, Subject: long, Keywords: long, Creator: long, Producer: long, Created: long, Modified: long,
	}}})
	m := p.inspect("a.pdf").Metadata
	if m.Title != strings.Repeat("漢", 300) {
		t.Errorf("the title has %d bytes", len(m.Title))
	}
	all := m.Title + m.Author + m.Subject + m.Keywords + m.Creator + m.Producer + m.Created + m.Modified
	if n := len([]rune(all)); n > 2000 {
		t.Errorf("together they have %d characters", n)
	}
	if len(m.Truncated) != 8 {
		t.Errorf("cut are %q", m.Truncated)
	}
}

func TestAnImplausiblePageCountIsDamage(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	for name, info := range map[string]docs.Info{
		"a billion pages":       {Pages: 1_000_000_000},
		"a billion, which load": {Pages: 1_000_000_000, LastLoads: true},
		"fewer than none":       {Pages: -5},
	} {
		p.script("a.pdf", docstest.Script{Pages: docstest.Text("x"), Info: info})
		_, err := p.Inspect(t.Context(), seat, docs.InspectArgs{Path: "a.pdf"})
		if e := wantCode(t, err, docs.Damaged); !strings.HasPrefix(e.Message, "a.pdf ") {
			t.Errorf("%s: %s", name, e.Message)
		}
	}
	t.Run("more pages than such a file has, of which the last loads, are believed", func(t *testing.T) {
		p.script("packed.pdf", docstest.Script{Pages: docstest.Text("x"), Info: docs.Info{Pages: 10_000, LastLoads: true}})
		if r := p.inspect("packed.pdf"); r.PageCount != 10_000 || r.PageCountStatus != "verified" {
			t.Errorf("it has %d pages, %s", r.PageCount, r.PageCountStatus)
		}
		p.script("more.pdf", docstest.Script{Pages: docstest.Text("x"), Info: docs.Info{Pages: 10_001, LastLoads: true}})
		_, err := p.Inspect(t.Context(), seat, docs.InspectArgs{Path: "more.pdf"})
		wantCode(t, err, docs.Damaged)
	})
	t.Run("no page too", func(t *testing.T) {
		p.script("none.pdf", docstest.Script{})
		_, err := p.Inspect(t.Context(), seat, docs.InspectArgs{Path: "none.pdf"})
		wantCode(t, err, docs.Damaged)
	})
	t.Run("a last page that does not load is declared only", func(t *testing.T) {
		p.script("b.pdf", docstest.Script{Pages: docstest.Text("x", "y"), Info: docs.Info{Pages: 2}})
		if r := p.inspect("b.pdf"); r.PageCountStatus != "declared" {
			t.Errorf("the page count is %s", r.PageCountStatus)
		}
	})
}
