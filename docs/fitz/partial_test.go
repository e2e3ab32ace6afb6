//go:build cgo && !nocgo && !extlib

package fitz

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
)

// What MuPDF could not make sense of is left out, and it says nothing of that.
func TestAPageThatIsReadInPartSaysSo(t *testing.T) {
	t.Parallel()
	if !guardedFits() {
		t.Skip("the public functions tell nothing of it")
	}
	var lines strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&lines, "BT /F1 12 Tf 72 %d Td (w%d) Tj ET\n", 700-i/10, i*7919)
	}
	long := deflate([]byte(lines.String()))
	for _, c := range []struct {
		name    string
		file    []byte
		text    string
		partial bool
	}{
		{"a whole one does not", page(words("one"), nil).pdf(""), "one", false},
		{"one with a drawing that is not there", page(words("one")+" /Nope Do", nil).pdf(""), "one", true},
		{"one with words that no page has", page(words("one")+" ) > ] }", nil).pdf(""), "one", true},
		{"one whose text breaks off", page("", objects{4: stream(long[:len(long)/2], "/Filter/FlateDecode")}).pdf(""), "", true},
		{"one whose text breaks", page("", objects{4: stream(long[:len(long)/2]+"\xff\xff\xff\xff"+long[len(long)/2:], "/Filter/FlateDecode")}).pdf(""), "", true},
		{"one that is packed too often", page("", objects{4: stream(words("one"), "/Filter["+strings.Repeat("/RunLengthDecode ", 500)+"]")}).pdf(""), "", true},
		{"one whose second half is not there", page(words("one"), objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents[4 0 R 9 0 R]/Resources<</Font<</F1 5 0 R>>>>>>"}).pdf(""), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := guarded{memory: 64 << 20}.Open(t.Context(), source(t, c.file), docs.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			got, err := d.Pages(t.Context(), 1, 1, docs.WantText)
			if err != nil || len(got) != 1 || slices.Contains(got[0].Warnings, docs.WarnIncomplete) != c.partial {
				t.Errorf("it is %+v, %v", got, err)
			}
			if c.text != "" && strings.TrimSpace(got[0].Text) != c.text {
				t.Errorf("its text is %q", got[0].Text)
			}
		})
	}
}

// MuPDF draws some in black and others not at all.
func TestAPictureThatCannotBeDecodedIsNotBlankPaper(t *testing.T) {
	t.Parallel()
	if !guardedFits() {
		t.Skip("the public functions tell nothing of it")
	}
	for name, data := range map[string]string{"JBIG2Decode": "no such segments", "JPXDecode": "no picture", "DCTDecode": "no picture"} {
		scan := page("q 612 0 0 792 0 0 cm /X Do Q", objects{
			3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
			6: stream(data, "/Type/XObject/Subtype/Image/Width 100/Height 100/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/"+name),
		}).pdf("")
		if r := read(t, guarded{memory: 64 << 20}, scan); r.outcome() != nil || r.pages[0].HasInk && r.pages[0].Ink == 0 {
			t.Errorf("%s: it is %+v, %v", name, r.pages, r.outcome())
		}
	}
}
