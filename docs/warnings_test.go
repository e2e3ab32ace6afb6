package docs_test

import (
	"slices"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

func TestAFontIsMissingWhereLettersAre(t *testing.T) {
	t.Parallel()
	word := []string{docs.WarnFontMissing}
	for _, c := range []struct {
		name string
		s    docstest.Script
		want []string // of pages 1 and 2
	}{
		{"a page whose letters are known all the same is not warned of", docstest.Script{Pages: []docs.Page{{Text: "人民", Warnings: word}, {Text: "人民"}}}, nil},
		{"a page with unknown ones is", docstest.Script{Pages: []docs.Page{{Text: "人\ufffd", Warnings: word}, {Text: "人民"}}}, word},
		{"also if the engine said so of the document", docstest.Script{Pages: docstest.Text("人民", "y\ufffdy"), Info: docs.Info{Warnings: word}}, word},
		{"a document whose letters are known is not", docstest.Script{Pages: docstest.Text("人民", "共和国"), Info: docs.Info{Warnings: word}}, nil},
		{"unknown letters of which the engine says nothing are garbled, and no more", docstest.Script{Pages: docstest.Text("y\ufffdy", "x")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, nil)
			p.script("a.pdf", c.s)
			if got := p.read(docs.ReadArgs{Path: "a.pdf"}).Warnings; !slices.Equal(got, c.want) {
				t.Errorf("a read warns %q, want %q", got, c.want)
			}
			if got := p.inspect("a.pdf").Warnings; !slices.Equal(got, c.want) {
				t.Errorf("an inspection warns %q, want %q", got, c.want)
			}
		})
	}
}

func TestAFormWithoutItsWordsIsTold(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.texts("a.pdf", "Please wait...\nIf this message is not eventually replaced by the proper contents of the document, your PDF viewer may not be able to display this type of document.")
	want := []string{"This is an XFA form, and its pages hold a placeholder in place of its words; ask the user for a printed copy of it."}
	inspected, read, searched := p.inspect("a.pdf"), p.read(docs.ReadArgs{Path: "a.pdf"}), p.search(docs.SearchArgs{Path: "a.pdf", Query: "surname"})
	for name, got := range map[string][2][]string{
		"inspect": {inspected.Warnings, inspected.Notices}, "read": {read.Warnings, read.Notices}, "search": {searched.Warnings, searched.Notices},
	} {
		if !slices.Equal(got[0], []string{docs.WarnXFA}) || !slices.Equal(got[1], want) {
			t.Errorf("%s warns %q and says %q", name, got[0], got[1])
		}
	}
}
