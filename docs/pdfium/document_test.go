package pdfium_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/pdfium"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	content := assemble(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
		"<< /Title (A report) /Author <FEFF00C9006D0069006C> /CreationDate (D:20240102030405Z) /ModDate (yesterday) >>",
	)
	content = strings.Replace(content, "/Root 1 0 R", "/Root 1 0 R /Info 4 0 R", 1)
	d := open(t, engine, write(t, content))
	info, err := d.Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := docs.Info{Pages: 1, LastLoads: true, Format: "PDF 1.4",
		Metadata: docs.Metadata{Title: "A report", Author: "Émil", Created: "D:20240102030405Z", Modified: "yesterday"}}
	if !slices.Equal(info.Warnings, []string{"form_and_annotation_text_not_read"}) {
		t.Errorf("warnings: %q", info.Warnings)
	}
	info.Warnings = nil
	if fmt.Sprintf("%+v", info) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", info, want)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	page := func(contents int) object {
		return fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F 9 0 R >> >> >>", contents)
	}
	d := open(t, engine, write(t, assemble(
		"<< /Type /Catalog /Pages 2 0 R /PageLabels << /Nums [0 << /S /r /St 3 >> 2 << /P (A-) /S /D >>] >> >>",
		"<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>",
		page(6), page(7), page(8),
		stream("BT /F 12 Tf 72 720 Td 14 TL (First line) Tj T* (second line) Tj ET"),
		stream(""),
		stream("0 0 306 792 re f"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	)))
	got := pages(t, d, 1, 3, docs.WantText|docs.WantInk|docs.WantLabel)
	if len(got) != 3 {
		t.Fatalf("%d pages", len(got))
	}
	for i, want := range []struct {
		text, label string
		least, most float64 // ink
	}{
		{"First line\nsecond line\n", "iii", 0.0001, 0.05},
		{"", "iv", 0, 0},
		{"", "A-1", 0.45, 0.55},
	} {
		p := got[i]
		if p.Number != i+1 || p.Text != want.text || p.Label != want.label || !p.HasInk || p.Ink < want.least || p.Ink > want.most || p.Err != nil {
			t.Errorf("page %d: %+v", i+1, p)
		}
	}
	t.Run("nothing wanted is nothing told", func(t *testing.T) {
		p := pages(t, d, 1, 1, 0)[0]
		if p.Text != "" || p.Label != "" || p.HasInk || p.Err != nil {
			t.Errorf("got %+v", p)
		}
	})
	t.Run("pages that are not there are failed pages", func(t *testing.T) {
		for _, n := range []int{-1, 0, 4, 1 << 40} {
			if p := pages(t, d, n, n, docs.WantText)[0]; p.Number != n || !errors.Is(p.Err, docs.ErrPage) {
				t.Errorf("page %d: %+v", n, p)
			}
		}
		if p := pages(t, d, 2, 1, docs.WantText); len(p) != 0 {
			t.Errorf("a range of nothing has %d pages", len(p))
		}
	})
}

// A line that ends in a hyphen keeps both, for a search that tries it joined and
// kept.
func TestAHyphenAtALinesEnd(t *testing.T) {
	t.Parallel()
	d := open(t, engine, write(t, assemble(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		stream("BT /F 12 Tf 72 720 Td 14 TL (an inter-) Tj T* (national rule) Tj ET"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	)))
	if got := pages(t, d, 1, 1, docs.WantText)[0].Text; got != "an inter-\nnational rule\n" {
		t.Errorf("got %q", got)
	}
}

// Filled form values that are missing from the text without a word.
func TestAFormFieldIsNotReadAndThePageSaysSo(t *testing.T) {
	t.Parallel()
	d := open(t, engine, write(t, assemble(
		"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> /Annots [6 0 R] >>",
		stream("BT /F 12 Tf 72 720 Td (Name:) Tj ET"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [150 710 300 730] /P 3 0 R >>",
	)))
	p := pages(t, d, 1, 1, docs.WantText)[0]
	if p.Text != "Name:\n" || p.HasInk || !slices.Equal(p.Warnings, []string{"form_and_annotation_text_not_read"}) {
		t.Errorf("got %+v", p)
	}
	plain := open(t, engine, write(t, onePage("No form.")))
	if p := pages(t, plain, 1, 1, docs.WantText)[0]; p.Warnings != nil {
		t.Errorf("a page without one: %+v", p)
	}
}

// A NUL among the characters of one glyph must not cut the page.
func TestANULDoesNotCutThePage(t *testing.T) {
	t.Parallel()
	const cmap = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n" +
		"1 begincodespacerange <00> <FF> endcodespacerange\n1 beginbfchar <41> <006600000069> endbfchar\nendcmap end end"
	d := open(t, engine, write(t, assemble(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		stream("BT /F 12 Tf 72 720 Td (A) Tj 40 0 Td (rest of the page) Tj ET"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
		stream(cmap),
	)))
	if got := pages(t, d, 1, 1, docs.WantText)[0].Text; !strings.Contains(got, "rest of the page") {
		t.Errorf("got %q", got)
	}
}

func TestAManyPagedFileIsReadOnInFreshSandboxes(t *testing.T) {
	t.Parallel()
	// Each page has a picture of its own, which PDFium keeps until the file is closed.
	const n = 40
	kids := &strings.Builder{}
	objects := []object{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	text := strings.Repeat("(word after word after word) Tj T* ", 2000)
	for range n {
		at := len(objects) + 1
		fmt.Fprintf(kids, "%d 0 R ", at)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>", at+1),
			stream("BT /F 2 Tf 2 TL 72 780 Td "+text+"ET"))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, n)
	e := another(t, pdfium.Options{MemoryBytes: 64 << 20})
	d := open(t, e, write(t, assemble(objects...)))
	for i, p := range pages(t, d, 1, n, docs.WantText) {
		if p.Err != nil || strings.Count(p.Text, "\n") != 2000 {
			t.Errorf("page %d: %d lines, %v", i+1, strings.Count(p.Text, "\n"), p.Err)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	dirs := corpora(t)
	for file, password := range map[string]string{"aes-128.pdf": "baz", "aes-256-r6.pdf": "usersecret", "saslprep-r6.pdf": "SaSLprep"} {
		t.Run(file, func(t *testing.T) {
			src := sourceOf(t, filepath.Join(dirs[0], file))
			for name, wrong := range map[string]string{"none": "", "another": "guess"} {
				if _, err := engine.Open(context.Background(), src, docs.OpenOptions{Password: wrong}); !errors.Is(err, docs.ErrEncrypted) {
					t.Errorf("with %s: %v", name, err)
				}
			}
			d, err := engine.Open(context.Background(), src, docs.OpenOptions{Password: password})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			info, err := d.Info(context.Background())
			if err != nil || !strings.HasPrefix(info.Encryption, "Standard R") {
				t.Errorf("%+v, %v", info, err)
			}
			if p := pages(t, d, 1, 1, docs.WantText)[0]; p.Err != nil {
				t.Errorf("its page: %v", p.Err)
			}
		})
	}
}
