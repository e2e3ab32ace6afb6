//go:build cgo && !nocgo && !extlib

package fitz

import (
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
)

// listened reads the only page of a file.
func listened(t *testing.T, file []byte) docs.Page {
	t.Helper()
	if !guardedFits() {
		t.Skip("the public functions do not hear it")
	}
	d, err := guarded{memory: 64 << 20}.Open(t.Context(), source(t, file), docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := d.Pages(t.Context(), 1, 1, docs.WantText)
	if err != nil || len(got) != 1 || got[0].Err != nil {
		t.Fatalf("the page is %+v, %v", got, err)
	}
	return got[0]
}

// annotated is a page that says "printed", with an annotation of these entries. 8 is
// ZapfDingbats, which a drawing, 9, has as ZaDb.
func annotated(entries, drawing string) []byte {
	return page(words("printed"), objects{
		1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R/ZaDb 8 0 R>>>>>>>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[6 0 R]>>",
		6: "<</Type/Annot/P 3 0 R/Rect[72 600 272 620]" + entries + ">>",
		8: "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>",
		9: stream(drawing, "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 5 0 R/ZaDb 8 0 R>>>>"),
	}).pdf("")
}

// MuPDF tells the number in a glyph's name, a control character for a tick.
func TestSignsOfZapfDingbatsAreReadAsWhatTheyShow(t *testing.T) {
	t.Parallel()
	const box = "/Subtype/Widget/FT/Btn/T(agreed)/V/Yes/AS/Yes/MK<</CA(4)>>/DA(/ZaDb 12 Tf 0 g)"
	const font = "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats"
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"in the font's own encoding", page(words("34lno"), objects{5: font + ">>"}).pdf(""), "✓✔●■❏"},
		{"at the ends of the table", page("BT /F1 12 Tf 72 700 Td <212224253d3e3f4080> Tj 0 -20 Td <d4d5fe> Tj ET", objects{5: font + ">>"}).pdf(""), "✁✂✄☎✝✞✟✠❨ ➔→➾"},
		{"by the glyphs' names", page(words("345"), objects{5: font + "/Encoding<</Differences[51/a20/a71/a1]>>>>"}).pdf(""), "✔●✁"},
		{"in a ticked box", annotated(box+"/AP<</N<</Yes 9 0 R>>>>", "BT /ZaDb 12 Tf 2 4 Td (4) Tj ET"), "printed ✔"},
		{"in a ticked box that nothing draws", annotated(box, ""), "printed ✓"},
		{"and other fonts keep their letters", page(words("34lno"), nil).pdf(""), "34lno"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(strings.Fields(listened(t, c.file).Text), " "); got != c.want {
				t.Errorf("the page says %q, want %q", got, c.want)
			}
		})
	}
}

func TestAPasswordInAFieldIsNotRead(t *testing.T) {
	t.Parallel()
	const field = "/Subtype/Widget/FT/Tx/T(pin)/V(hunter2)/DA(/F1 12 Tf 0 g)"
	const drawing = "/Tx BMC BT /F1 12 Tf 2 4 Td (hunter2) Tj ET EMC"
	const spoken = "/Span<</ActualText(hunter2)>>BDC BT /F1 12 Tf 2 4 Td (hunter2) Tj ET EMC"
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"that the file draws", annotated(field+"/Ff 8192/AP<</N 9 0 R>>", drawing), "printed *******"},
		{"that nothing draws", annotated(field+"/Ff 8192", ""), "printed *******"},
		{"that is told beside what is drawn", annotated(field+"/Ff 8192/AP<</N 9 0 R>>", spoken), "printed *******"},
		{"and what other fields hold is", annotated(field+"/AP<</N 9 0 R>>", drawing), "printed hunter2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(strings.Fields(listened(t, c.file).Text), " "); got != c.want {
				t.Errorf("the page says %q, want %q", got, c.want)
			}
		})
	}
	t.Run("whose kind its parent tells", func(t *testing.T) {
		t.Parallel()
		file := annotated("/Subtype/Widget/Parent 10 0 R/DA(/F1 12 Tf 0 g)/AP<</N 9 0 R>>", drawing+strings.Repeat(" ", 200))
		parent := "10 0 obj\n<</FT/Tx/T(pin)/V(hunter2)/Ff 8192/Kids[6 0 R]>>\nendobj\nxref\n"
		file = []byte(strings.Replace(string(file), "xref\n", parent, 1)) // its table is mended
		if got := listened(t, file).Text; strings.Contains(got, "hunter2") || !strings.Contains(got, "*******") {
			t.Errorf("the page says %q", got)
		}
	})
}

func TestTextOutsideThePageIsToldOf(t *testing.T) {
	t.Parallel()
	cropped := func(content string) []byte {
		return page(content, objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/CropBox[100 100 400 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"}).pdf("")
	}
	for _, c := range []struct {
		name    string
		file    []byte
		words   string
		outside bool
	}{
		{"far from all other text", offPage, "seen nowhere", true},
		{"on the line of what is seen", page("BT /F1 12 Tf 72 700 Td (seen) Tj 5000 0 Td (nowhere) Tj ET", nil).pdf(""), "seen nowhere", true},
		{"on paper that is cropped", cropped("BT /F1 12 Tf 110 700 Td (seen) Tj 400 0 Td (cropped) Tj ET"), "seen cropped", true},
		{"not where the cropped page has all of it", cropped("BT /F1 12 Tf 110 700 Td (seen) Tj ET"), "seen", false},
		{"not for letters that the edge cuts", page("BT /F1 12 Tf 72 788 Td (cut) Tj ET", nil).pdf(""), "cut", false},
		{"not for blanks", page("BT /F1 12 Tf 590 700 Td (end       ) Tj ET", nil).pdf(""), "end", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := listened(t, c.file)
			if got := strings.Join(strings.Fields(p.Text), " "); got != c.words || slices.Contains(p.Warnings, docs.WarnOutsidePage) != c.outside {
				t.Errorf("the page says %q and warns of %q", got, p.Warnings)
			}
		})
	}
}

func TestNotesAreReadBehindTheirPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, entries, want string
	}{
		{"a sticky note", "/Subtype/Text/Contents(look here)", "printed\n\n[note] look here\n\n"},
		{"a comment on what is marked", "/Subtype/Highlight/QuadPoints[72 620 272 620 72 600 272 600]/Contents<FEFF00FC0062006500720061006C006C>", "printed\n\n[note] überall\n\n"},
		{"a mark without a comment", "/Subtype/Highlight/QuadPoints[72 620 272 620 72 600 272 600]/Contents( )", "printed\n\n"},
		{"a note that is hidden", "/Subtype/Text/F 2/Contents(look here)", "printed\n\n"},
		{"what is drawn is not told twice", "/Subtype/FreeText/Contents(drawn)/AP<</N 9 0 R>>", "printed\n\ndrawn\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := listened(t, annotated(c.entries, "BT /F1 12 Tf 2 4 Td (drawn) Tj ET")).Text; got != c.want {
				t.Errorf("the page says %q, want %q", got, c.want)
			}
		})
	}
	t.Run("more than a page may have is told of", func(t *testing.T) {
		t.Parallel()
		p := listened(t, annotated("/Subtype/Text/Contents("+strings.Repeat("x", 70_000)+")", ""))
		if p.Text != "printed\n\n" || !slices.Contains(p.Warnings, docs.WarnIncomplete) {
			t.Errorf("the page says %d bytes and warns of %q", len(p.Text), p.Warnings)
		}
	})
}
