//go:build cgo && !nocgo

package fitz

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

// objects are a PDF file by number. 1 is the catalog.
type objects map[int]string

// pdf writes them out, with what else the trailer says.
func (o objects) pdf(trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := map[int]int{}
	last := 0
	for _, n := range slices.Sorted(maps.Keys(o)) {
		at[n], last = b.Len(), n
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, o[n])
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", last+1)
	for n := 1; n <= last; n++ {
		if pos, ok := at[n]; ok {
			fmt.Fprintf(&b, "%010d 00000 n \n", pos)
		} else {
			b.WriteString("0000000000 65535 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", last+1, trailer, start)
	return b.Bytes()
}

func stream(data, dict string) string {
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(data), dict, data)
}

// page is a file of one page that draws content. 5 is its font, F1; more objects
// replace or follow.
func page(content string, more objects) objects {
	o := objects{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		4: stream(content, ""),
		5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
	}
	maps.Copy(o, more)
	return o
}

// words draws a line of text.
func words(s string) string { return "BT /F1 12 Tf 72 700 Td (" + s + ") Tj ET" }

// form is a drawing that may be used by its name.
func form(content, resources string) string {
	return stream(content, "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<"+resources+">>")
}

func deflate(b []byte) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.String()
}

// source is a file of content that has no name any more.
func source(t testing.TB, content []byte) docs.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return docs.Source{File: f, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

var good = docstest.File{Pages: []docstest.Page{{Lines: []string{"a good file"}}}}.Bytes()

// The probes: what each does to a parser is in its name.
var (
	formBomb   = formBombOf(9, 10)
	negative   = page(words("one"), objects{2: "<</Type/Pages/Kids[3 0 R]/Count -5>>"}).pdf("")
	milliard   = page(words("one"), objects{2: "<</Type/Pages/Kids[3 0 R]/Count 1000000000>>"}).pdf("")
	circle     = objects{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Count 1/Kids[3 0 R]/Parent 2 0 R>>", 3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", 4: stream("", "")}.pdf("")
	outline    = page(words("one"), objects{1: "<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>", 6: "<</Type/Outlines/First 7 0 R/Last 7 0 R>>", 7: "<</Title(a)/Parent 6 0 R/Next 8 0 R>>", 8: "<</Title(b)/Parent 6 0 R/Next 7 0 R>>"}).pdf("")
	arrays     = page(words("one"), objects{4: stream(strings.Repeat("[", 20000)+words("one"), "")}).pdf("")
	openArray  = good[:bytes.Index(good, []byte("/Kids["))+len("/Kids[3")]
	gaps       = page("BT /F1 12 Tf 72 700 Td [(three) -600 (words) -600 (apart)] TJ ET", nil).pdf("")
	visual     = page("BT /F1 12 Tf 72 700 Td (abcd efgh) Tj ET", objects{5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>", 6: stream("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange 9 beginbfchar <20> <0020> <61> <05DD> <62> <05DC> <63> <05D5> <64> <05E2> <65> <05DD> <66> <05D5> <67> <05DC> <68> <05E9> endbfchar endcmap end end", "")}).pdf("")
	picture    = page("q 612 0 0 792 0 0 cm /X Do Q", objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>", 6: stream(deflate(make([]byte, 1<<20)), "/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode")}).pdf("")
	nulText    = page(words("before x after"), objects{5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>", 6: stream("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <78> <004100000042> endbfchar 1 beginbfrange <61> <77> <0061> endbfrange endcmap end end", "")}).pdf("")
	fields     = page(words("printed"), objects{1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>", 3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[6 0 R 8 0 R]>>", 6: "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(filled)/Rect[72 600 300 620]/AP<</N 7 0 R>>/P 3 0 R>>", 7: stream("BT /F1 12 Tf 2 4 Td (filled) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 228 20]/Resources<</Font<</F1 5 0 R>>>>"), 8: "<</Type/Annot/Subtype/FreeText/Contents(noted)/Rect[72 500 300 520]/AP<</N 9 0 R>>/P 3 0 R>>", 9: stream("BT /F1 12 Tf 2 4 Td (noted) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 228 20]/Resources<</Font<</F1 5 0 R>>>>")}).pdf("")
	unpainted  = page(words("printed"), objects{1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/NeedAppearances true/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>>>", 3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[6 0 R]>>", 6: "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(filled)/DA(/F1 12 Tf 0 g)/Rect[72 600 300 620]/P 3 0 R>>"}).pdf("")
	fontless   = page("BT /F1 12 Tf 72 700 Td <82a082a282a4> Tj ET", objects{5: "<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>", 6: "<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R/DW 1000>>", 7: "<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>"}).pdf("")
	offPage    = page("BT /F1 12 Tf 72 700 Td (seen) Tj ET BT /F1 12 Tf 5000 600 Td (nowhere) Tj ET", nil).pdf("")
	hyphenated = page(`BT /F1 12 Tf 14 TL 72 700 Td (an inter-) Tj T* (national well-) Tj T* (known thing) Tj ET`, nil).pdf("")
	described  = page(words("one"), objects{6: "<</Title(" + strings.Repeat("T", 300) + ")/Author<FEFF" + strings.Repeat("00E9", 200) + ">/ModDate(D:20240102030405Z)>>"}).pdf("/Info 6 0 R")
)

// formBombOf is a page of forms that use the next, width times each.
func formBombOf(depth, width int) []byte {
	more := objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 10 0 R>>>>>>"}
	for i := range depth {
		more[10+i] = form(strings.Repeat("/X Do ", width), fmt.Sprintf("/XObject<</X %d 0 R>>", 11+i))
	}
	more[10+depth] = form(words("boom"), "/Font<</F1 5 0 R>>")
	return page("/X Do", more).pdf("")
}
