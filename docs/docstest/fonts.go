package docstest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
)

// fonts write any character with the one font that every reader has: what is not
// ASCII gets a code of another copy of it, which says what the code means.
type fonts struct {
	codes map[rune]glyph
	order []rune // by font and code
}

type glyph struct {
	font int // from 1, the one for ASCII
	code byte
}

const (
	firstCode = '!'
	perFont   = '~' - firstCode + 1
)

func newFonts() *fonts { return &fonts{codes: map[rune]glyph{}} }

func (f *fonts) glyph(r rune) glyph {
	if r >= ' ' && r <= '~' {
		return glyph{1, byte(r)}
	}
	g, ok := f.codes[r]
	if !ok {
		n := len(f.order)
		g = glyph{2 + n/perFont, byte(firstCode + n%perFont)}
		f.codes[r] = g
		f.order = append(f.order, r)
	}
	return g
}

// A run is a part of a line in one font.
type run struct {
	font  int
	codes []byte
}

func (f *fonts) runs(line string) []run {
	var all []run
	for _, r := range line {
		g := f.glyph(r)
		if k := len(all) - 1; k >= 0 && all[k].font == g.font {
			all[k].codes = append(all[k].codes, g.code)
			continue
		}
		all = append(all, run{g.font, []byte{g.code}})
	}
	return all
}

// write puts the fonts into the file and returns their names.
func (f *fonts) write(w *writer) string {
	var names strings.Builder
	plain := w.reserve()
	const helvetica = "/Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding"
	w.object(plain, "<<"+helvetica+">>")
	fmt.Fprintf(&names, "/F1 %d 0 R", plain)
	for k := 0; k < len(f.order); k += perFont {
		meaning, font := w.reserve(), w.reserve()
		w.stream(meaning, "", toUnicode(f.order[k:min(k+perFont, len(f.order))]))
		w.object(font, fmt.Sprintf("<<%s/ToUnicode %d 0 R>>", helvetica, meaning))
		fmt.Fprintf(&names, "/F%d %d 0 R", 2+k/perFont, font)
	}
	return names.String()
}

// toUnicode says what the codes from firstCode on mean.
func toUnicode(chars []rune) []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit/ProcSet findresource begin 12 dict begin begincmap\n" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def /CMapType 2 def\n" +
		"1 begincodespacerange <00><ff> endcodespacerange\n")
	fmt.Fprintf(&b, "%d beginbfchar\n", len(chars))
	for i, r := range chars {
		fmt.Fprintf(&b, "<%02x><%x>\n", firstCode+i, bigEndian(utf16.Encode([]rune{r})))
	}
	b.WriteString("endbfchar endcmap CMapName currentdict/CMap defineresource pop end end\n")
	return b.Bytes()
}

func utf16Text(s string) []byte {
	return append([]byte{0xfe, 0xff}, bigEndian(utf16.Encode([]rune(s)))...)
}

func bigEndian(units []uint16) []byte {
	b := make([]byte, 0, 2*len(units))
	for _, u := range units {
		b = append(b, byte(u>>8), byte(u))
	}
	return b
}
