//go:build linux && cgo

package docs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/arcseat/arc/docs/docstest"
)

// bookFont is a font of Type 1 with the signs of a book, each drawn by some twenty
// curves of no meaning: whoever reads the text goes by the names of the signs.
func bookFont(name string, embedded bool) docstest.Font {
	const tag = "BOOKAA+"
	var widths strings.Builder
	for c := 2; c <= '~'; c++ {
		if glyphName(byte(c)) == "" {
			widths.WriteString("0 ")
		} else {
			fmt.Fprintf(&widths, "%d ", width(string(rune(c))))
		}
	}
	if !embedded {
		return docstest.Font{Entries: "/Subtype/Type1/BaseFont/" + name + "/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[2/fi/fl]>>"}
	}
	program, clear := type1(tag + name)
	return docstest.Font{
		Entries: fmt.Sprintf("/Subtype/Type1/BaseFont/%s%s/FirstChar 2/LastChar 126/Widths[%s]", tag, name, widths.String()),
		Descriptor: fmt.Sprintf("/FontName/%s%s/Flags 4/FontBBox[-40 -250 1009 750]/Ascent 694/Descent -194/CapHeight 683/ItalicAngle 0/StemV 69/XHeight 431",
			tag, name),
		Program: program,
		Clear:   clear,
	}
}

// signs are the names of what is no letter.
var signs = map[byte]string{
	2: "fi", 3: "fl", ' ': "space", '"': "quotedbl", '\'': "quotesingle", '(': "parenleft", ')': "parenright", ',': "comma", '-': "hyphen", '.': "period",
	'0': "zero", '1': "one", '2': "two", '3': "three", '4': "four", '5': "five", '6': "six", '7': "seven", '8': "eight", '9': "nine", ';': "semicolon",
}

func glyphName(c byte) string {
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
		return string(rune(c))
	}
	return signs[c]
}

// type1 is a font program, and how much of it is in clear; see Adobe Type 1 Font
// Format, chapters 2, 6 and 7.
func type1(name string) (program []byte, clear int) {
	var b, private bytes.Buffer
	fmt.Fprintf(&b, "%%!PS-AdobeFont-1.0: %s 001.001\n11 dict begin\n/FontInfo 3 dict dup begin\n/version (001.001) readonly def\n/isFixedPitch false def\nend readonly def\n"+
		"/FontName /%s def\n/PaintType 0 def\n/FontType 1 def\n/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n/FontBBox {-40 -250 1009 750} readonly def\n"+
		"/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n", name, name)
	outlines := rand.New(rand.NewPCG(2, uint64(len(name))))
	var glyphs []string
	glyphs = append(glyphs, outline(".notdef", 250, nil))
	for c := byte(2); c <= '~'; c++ {
		if g := glyphName(c); g != "" {
			fmt.Fprintf(&b, "dup %d /%s put\n", c, g)
			glyphs = append(glyphs, outline(g, width(string(rune(c))), outlines))
		}
	}
	b.WriteString("readonly def\ncurrentdict end\ncurrentfile eexec\n")
	clear = b.Len()
	fmt.Fprintf(&private, "dup /Private 9 dict dup begin\n/RD {string currentfile exch readstring pop} executeonly def\n/ND {noaccess def} executeonly def\n"+
		"/NP {noaccess put} executeonly def\n/BlueValues [-22 0 431 448 666 677 683 705] def\n/MinFeature {16 16} def\n/password 5839 def\n"+
		"2 index /CharStrings %d dict dup begin\n", len(glyphs))
	for _, g := range glyphs {
		private.WriteString(g)
	}
	private.WriteString("end\nend\nreadonly put\nnoaccess put\ndup /FontName get exch definefont pop\nmark currentfile closefile\n")
	b.Write(encipher(private.Bytes(), 55665))
	return b.Bytes(), clear
}

// outline is the charstring of a glyph: one contour of curves, or none without random.
func outline(name string, width int, random *rand.Rand) string {
	b := charNumbers(0, width)
	b = append(b, 13) // hsbw
	if random != nil && name != "space" {
		b = append(append(b, charNumbers(40, 20)...), 21) // rmoveto
		for k := range 20 {
			turn := []int{1, 1, -1, -1}[k%4]
			b = append(b, charNumbers(turn*random.IntN(60), random.IntN(40), turn*random.IntN(50), turn*random.IntN(120), -turn*random.IntN(30), turn*random.IntN(40))...)
			b = append(b, 8) // rrcurveto
		}
		b = append(b, 9) // closepath
	}
	b = encipher(append(b, 14), 4330) // endchar
	return fmt.Sprintf("/%s %d RD %s ND\n", name, len(b), b)
}

// charNumbers are numbers of a charstring, of less than 1,132 either way.
func charNumbers(all ...int) (b []byte) {
	for _, v := range all {
		switch {
		case v >= -107 && v <= 107:
			b = append(b, byte(v+139))
		case v > 0:
			b = append(b, byte((v-108)>>8+247), byte(v-108))
		default:
			b = append(b, byte((-v-108)>>8+251), byte(-v-108))
		}
	}
	return b
}

// encipher hides a part of a font, behind four bytes that count for nothing.
func encipher(plain []byte, r uint16) []byte {
	out := make([]byte, 0, len(plain)+4)
	for _, p := range append([]byte{0xca, 0xfe, 0xba, 0xbe}, plain...) {
		c := p ^ byte(r>>8)
		r = (uint16(c)+r)*52845 + 22719
		out = append(out, c)
	}
	return out
}
