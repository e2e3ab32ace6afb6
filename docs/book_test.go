//go:build linux && cgo

package docs_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/arcseat/arc/docs/docstest"
)

const bookPages = 2100

// book is a file of 2,100 pages, set as programs for books do it. It has the
// measures of real ones: of four pages two are a novel's, one column of 37 lines as
// TeX writes them, with kerns inside of words and gaps for spaces; one is a report's,
// two columns of 52 short lines as desktop publishing writes them, with spaces and
// their width for each line; and one is a table of 40 rows between two paragraphs,
// each cell set by itself. There are running heads, chapters, words in italics and
// bold, ligatures and footnotes, and six embedded fonts, of which a page names those it uses.
var book = sync.OnceValue(func() []byte { return makeBook(true) })

// bareBook is the same book with fonts that it only names.
var bareBook = sync.OnceValue(func() []byte { return makeBook(false) })

func makeBook(embedded bool) []byte {
	f := docstest.File{Fonts: map[string]docstest.Font{}}
	for name, base := range bookFonts {
		f.Fonts[name] = bookFont(base, embedded)
	}
	for n := range bookPages {
		s := setter{random: rand.New(rand.NewPCG(1, uint64(n)))}
		s.head(n + 1)
		var fonts []string
		switch n % 4 {
		case 0, 1:
			s.novel(n%20 == 0)
			fonts = []string{"Roman", "Italic", "Bold", "Head"}
		case 2:
			s.report()
			fonts = []string{"Sans", "Head"}
		case 3:
			s.table()
			fonts = []string{"Roman", "Sans", "Bold", "Code", "Head"}
		}
		f.Pages = append(f.Pages, docstest.Page{Content: s.out.String(), Fonts: fonts})
	}
	return f.Bytes()
}

// bookFonts are the names of the fonts, which all have the measures of the first.
var bookFonts = map[string]string{
	"Roman": "Times-Roman", "Bold": "Times-Bold", "Italic": "Times-Italic", "Head": "Helvetica-Bold", "Sans": "Helvetica", "Code": "Courier",
}

// advances are the widths of Times from the space to the tilde, in thousandths.
var advances = [...]int{
	250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
	921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
	333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
}

// width is that of a word, in thousandths of its size. A ligature is as wide as an m.
func width(word string) (w int) {
	for _, c := range []byte(word) {
		if c < ' ' {
			w += 556
		} else {
			w += advances[c-' ']
		}
	}
	return w
}

// kerned are the pairs that are set closer, or apart.
var kerned = map[string]int{
	"we": 28, "wo": 28, "ow": 28, "ve": 28, "vo": 28, "ov": 28, "yo": 28, "ye": 28, "ky": 28, "bo": -28, "oc": -28, "po": -28, "ke": 28, "ka": 28, "ay": 28,
	"Te": 83, "To": 83, "Wh": 28, "We": 83, "Av": 111, "r,": 40, "y.": 83, "y,": 83, "w,": 60, "av": 20, "va": 25, "ry": 15, "ty": 15, "ht": 28,
}

// bookWords stand for a language: the first are the most frequent. The two signs are
// fi and fl.
var bookWords = strings.Fields(strings.NewReplacer("fi", "\x02", "fl", "\x03").Replace(`the of and to in a is that it for was as with be by on not he his but at are this have from
	or had which one you were her all she there would their we him been has when who will more no if out so said what up its about into than them can only other new
	some could time these two may then do first any my now such like our over man me even most made after also did many before must through back years where much your way
	well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day
	same another know while last might us great old year off come since against go came right used take three contract evidence authority language obligation procedure
	tribunal amendment commerce settlement jurisdiction liberty property technology creativity publisher copyright significant definition office reflection influence
	treatment recommendation implementation programme available adaptation guideline country national monitoring infrastructure responsibility understanding
	Therefore However Perhaps Today Whatever "Avoid Toward Yesterday`))

// A setter writes the content of a page.
type setter struct {
	random *rand.Rand
	out    strings.Builder
}

// word is the next word, by Zipf's law.
func (s *setter) word() string {
	n := len(bookWords)
	return bookWords[min(n-1, int(float64(n)*s.random.Float64()*s.random.Float64()))]
}

// line is words that fill so many thousandths of their size, and the width of a
// space between them.
func (s *setter) line(measure int) (words []string, space float64) {
	const natural = 290
	total := 0
	for {
		w := s.word()
		if s.random.IntN(9) == 0 {
			w += []string{",", ".", ";", ","}[s.random.IntN(4)]
		}
		if total += width(w) + natural; len(words) > 1 && total > measure {
			break
		}
		words = append(words, w)
	}
	total = 0
	for _, w := range words {
		total += width(w)
	}
	return words, float64(measure-total) / float64(len(words)-1)
}

// literal is a string of the content stream.
func literal(s string) string {
	return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ")"
}

// kern writes a word in the pieces that pairs part it into, inside of a TJ array.
func (s *setter) kern(word string) {
	from := 0
	for i := 1; i < len(word); i++ {
		if k := kerned[word[i-1:i+1]]; k != 0 {
			fmt.Fprintf(&s.out, "%s%d", literal(word[from:i]), k)
			from = i
		}
	}
	s.out.WriteString(literal(word[from:]))
}

// gaps writes words with a gap for each space.
func (s *setter) gaps(words []string, space float64) {
	s.out.WriteByte('[')
	for i, w := range words {
		if i > 0 {
			fmt.Fprintf(&s.out, "-%.0f", space)
		}
		s.kern(w)
	}
	s.out.WriteString("] TJ\n")
}

// head is the running head and its rule.
func (s *setter) head(page int) {
	fmt.Fprintf(&s.out, "0 g 0 G\nBT\n/Head 8.9664 Tf\n90.142 752.375 Td\n[(%d)] TJ\n337.673 0 Td\n[(%d.)-278(OF)-278(THE)-278(LA)70(W)] TJ\nET\nq\n1 0 0 1 90.142 746.839 cm\n0.498 w\n0 0 m\n392.008 0 l\nS\nQ\n", page, page/20+1)
}

const (
	textSize = 10.9091
	leading  = 13.549
	measure  = 36_000 // of a column of the whole width, in thousandths of the size
)

// novel is a column of paragraphs with a footnote, and a chapter's head where one
// begins.
func (s *setter) novel(chapter bool) {
	lines := 37
	s.out.WriteString("BT\n")
	if chapter {
		lines = 26
		fmt.Fprintf(&s.out, "/Head 20.6625 Tf\n90.142 640.805 Td\n[(The)-375(%s)] TJ\n/Roman %g Tf\n0 -48.882 Td\n", s.word(), textSize)
	} else {
		fmt.Fprintf(&s.out, "/Roman %g Tf\n90.142 722.805 Td\n", textSize)
	}
	for n := range lines {
		switch {
		case n%6 == 0: // a paragraph begins
			fmt.Fprintf(&s.out, "16.937 -%g Td\n", leading)
			s.gaps(s.line(measure - 1552))
			fmt.Fprintf(&s.out, "-16.937 -%g Td\n", leading)
		case n%9 == 4:
			s.mixed([]string{"Italic", "Bold"}[n%2])
			fmt.Fprintf(&s.out, "0 -%g Td\n", leading)
		default:
			s.gaps(s.line(measure))
			fmt.Fprintf(&s.out, "0 -%g Td\n", leading)
		}
	}
	s.out.WriteString("/Roman 5.9776 Tf\n11.955 -9.5 Td\n[(1)] TJ\n/Roman 8.9664 Tf\n4.151 -2.81 Td\n")
	s.gaps(s.line(42_000))
	s.out.WriteString("ET\n")
}

// mixed is a line whose middle is in another font.
func (s *setter) mixed(font string) {
	words, space := s.line(measure)
	moved := 0.0
	for i := 0; i < len(words); i += 3 {
		part := words[i:min(i+3, len(words))]
		name := "Roman"
		if i == 3 {
			name = font
		}
		fmt.Fprintf(&s.out, "/%s %g Tf\n", name, textSize)
		s.gaps(part, space)
		step := 0.0
		for _, w := range part {
			step += (float64(width(w)) + space) * textSize / 1000
		}
		if i+3 < len(words) {
			fmt.Fprintf(&s.out, "%.3f 0 Td\n", step)
			moved += step
		}
	}
	fmt.Fprintf(&s.out, "/Roman %g Tf\n%.3f 0 Td\n", textSize, -moved)
}

// report is two columns with a heading in each.
func (s *setter) report() {
	for _, x := range []float64{64, 322} {
		fmt.Fprintf(&s.out, "BT\n/Head 1 Tf\n0.0002 Tc 11 0 0 11 %g 720 Tm\n(%s)Tj\n/Sans 1 Tf\n9 0 0 9 %g 704 Tm\n", x, "On "+s.word()+" and "+s.word(), x)
		for range 52 {
			words, space := s.line(23_000)
			fmt.Fprintf(&s.out, "%.4f Tc %.4f Tw 0 -1.381 Td\n[", (s.random.Float64()-0.5)/1000, (space-250)/1000)
			for i, w := range words {
				s.kern(w + " ")
				if i%4 == 3 {
					s.out.WriteString("-10")
				}
			}
			s.out.WriteString("]TJ\n")
		}
		s.out.WriteString("0 Tc 0 Tw ET\n")
	}
}

// table is 40 rows of six cells between two paragraphs.
func (s *setter) table() {
	s.paragraph(722, 4)
	for row := range 40 {
		y := 640 - 12*float64(row)
		if row%5 == 0 {
			fmt.Fprintf(&s.out, "q 0.398 w 90 %g m 480 %g l S Q\n", y+9.5, y+9.5)
		}
		for column := range 6 {
			cell := fmt.Sprintf("%d.%02d", s.random.IntN(900), s.random.IntN(100))
			font := "Sans"
			switch {
			case column == 0:
				cell = s.word() + " " + s.word()
			case column == 5:
				cell, font = fmt.Sprintf("%06x", s.random.IntN(1<<24)), "Code"
			case row == 0:
				font = "Bold"
			}
			fmt.Fprintf(&s.out, "BT\n/%s 8.4 Tf\n1 0 0 1 %g %g Tm\n[%s]TJ\nET\n", font, []float64{90, 210, 260, 310, 360, 420}[column], y, literal(cell))
		}
	}
	s.paragraph(140, 5)
}

// paragraph is so many lines of the whole width from y on.
func (s *setter) paragraph(y float64, lines int) {
	fmt.Fprintf(&s.out, "BT\n/Roman %g Tf\n90.142 %g Td\n", textSize, y)
	for range lines {
		s.gaps(s.line(measure))
		fmt.Fprintf(&s.out, "0 -%g Td\n", leading)
	}
	s.out.WriteString("ET\n")
}
