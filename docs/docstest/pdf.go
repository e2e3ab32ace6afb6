package docstest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A File is a PDF file to be written: pages of lines, nothing else.
type File struct {
	Pages  []Page // in order
	Title  string // what the file says of itself; empty: nothing
	Author string // the same
	// Password opens the file, by the oldest encryption there is (RC4, 40 bits).
	// Empty: none is needed.
	Password string
	// Count is what the file says in place of its number of pages, as it is to stand
	// there: "-5". Empty: the truth.
	Count string
	// Fonts are those that Page.Content uses, by their names.
	Fonts map[string]Font
}

// A Page is a page of a [File], of the size of a letter. Long lines and many of them
// are made small enough to fit.
type Page struct {
	Lines []string // its text, from the top
	Ink   bool     // a dark area covers part of the page
	Label string   // the printed number
	// Typeset sets letters closer and words apart by moving on, as programs for books
	// do, and writes no spaces.
	Typeset bool
	// Content is a content stream that is the whole page, written as it is: there are
	// no lines then.
	Content string
	// Fonts are the names in File.Fonts that Content uses.
	Fonts []string
}

// Page size and margins in points.
const (
	pageWidth, pageHeight = 612, 792
	margin                = 50
	fontSize              = 10
)

// Bytes is the file. The same File gives the same bytes.
func (f File) Bytes() []byte {
	w := &writer{}
	if f.Password != "" {
		w.lock = newLock(f.Password)
	}
	catalog, tree := w.reserve(), w.reserve()
	fonts, embedded := newFonts(), embed(w, f.Fonts)
	var kids []string
	for _, p := range f.Pages {
		content := w.reserve()
		resources := fmt.Sprintf("%d 0 R", resourcesNumber)
		if p.Content != "" {
			w.stream(content, "", []byte(p.Content))
			resources = "<</Font<<" + embedded.names(p.Fonts) + ">>>>"
		} else {
			w.stream(content, "", fonts.content(p))
		}
		page := w.reserve()
		w.object(page, fmt.Sprintf("<</Type/Page/Parent %d 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources %s>>",
			tree, pageWidth, pageHeight, content, resources))
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	count := f.Count
	if count == "" {
		count = fmt.Sprint(len(f.Pages))
	}
	w.object(tree, fmt.Sprintf("<</Type/Pages/Count %s/Kids[%s]>>", count, strings.Join(kids, " ")))
	w.object(resourcesNumber, "<</Font<<"+fonts.write(w)+">>>>")
	w.object(catalog, fmt.Sprintf("<</Type/Catalog/Pages %d 0 R%s>>", tree, f.labels(w, catalog)))
	info := w.reserve()
	w.object(info, fmt.Sprintf("<</Title%s/Author%s/Producer%s/CreationDate%s>>",
		w.text(info, f.Title), w.text(info, f.Author), w.text(info, "docstest"), w.text(info, "D:20240229123456+01'00'")))
	return w.finish(catalog, info)
}

// resourcesNumber is the object that all pages share; writer reserves it first.
const resourcesNumber = 1

func (f File) labels(w *writer, catalog int) string {
	var nums strings.Builder
	for i, p := range f.Pages {
		if p.Label != "" {
			fmt.Fprintf(&nums, "%d<</P%s>>", i, w.text(catalog, p.Label))
		}
	}
	if nums.Len() == 0 {
		return ""
	}
	return "/PageLabels<</Nums[" + nums.String() + "]>>"
}

// A writer puts objects together.
type writer struct {
	objects [][]byte // by number; 0 is none
	lock    *lock
}

// reserve gives out an object's number.
func (w *writer) reserve() int {
	if len(w.objects) == 0 {
		w.objects = make([][]byte, resourcesNumber+1)
	}
	w.objects = append(w.objects, nil)
	return len(w.objects) - 1
}

func (w *writer) object(n int, body string) { w.objects[n] = []byte(body) }

func (w *writer) stream(n int, entries string, content []byte) {
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	c.Write(content)
	c.Close()
	data := w.lock.cipher(n, z.Bytes())
	var b bytes.Buffer
	fmt.Fprintf(&b, "<</Length %d/Filter/FlateDecode%s>>\nstream\n", len(data), entries)
	b.Write(data)
	b.WriteString("\nendstream")
	w.objects[n] = b.Bytes()
}

// text is a string of object n, in UTF-16.
func (w *writer) text(n int, s string) string {
	return fmt.Sprintf("<%x>", w.lock.cipher(n, utf16Text(s)))
}

func (w *writer) finish(catalog, info int) []byte {
	var trailer string
	if w.lock != nil {
		n := w.reserve()
		w.object(n, w.lock.dictionary())
		trailer = fmt.Sprintf("/Encrypt %d 0 R", n)
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(w.objects))
	for n, body := range w.objects[1:] {
		offsets[n+1] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1, body)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(w.objects))
	for _, at := range offsets[1:] {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R/ID[<%x><%x>]%s>>\nstartxref\n%d\n%%%%EOF\n",
		len(w.objects), catalog, info, fileID, fileID, trailer, xref)
	return b.Bytes()
}

// fileID would name a file among all; a test's need not.
const fileID = "0123456789abcdef"

// content draws a page.
func (f *fonts) content(p Page) []byte {
	var b bytes.Buffer
	if p.Ink {
		fmt.Fprintf(&b, "0.3 g %d %d 300 200 re f 0 g\n", margin, pageHeight/2)
	}
	if len(p.Lines) == 0 {
		return b.Bytes()
	}
	longest := 1
	for _, l := range p.Lines {
		longest = max(longest, utf8.RuneCountInString(l))
	}
	leading := min(1.4*fontSize, float64(pageHeight-2*margin)/float64(len(p.Lines)))
	size := min(leading/1.4, float64(pageWidth-2*margin)/(0.6*float64(longest)))
	fmt.Fprintf(&b, "BT %.3f TL %d %d Td\n", leading, margin, pageHeight-margin)
	for _, l := range p.Lines {
		for _, r := range f.runs(l) {
			fmt.Fprintf(&b, "/F%d %.3f Tf [", r.font, size)
			if p.Typeset {
				kern(&b, r.codes)
			} else {
				fmt.Fprintf(&b, "<%x>", r.codes)
			}
			b.WriteString("] TJ\n")
		}
		b.WriteString("T*\n")
	}
	b.WriteString("ET\n")
	return b.Bytes()
}

// kern writes codes in short pieces a little closer to each other, and leaves a gap
// for a space. Numbers are thousandths of the letters' size, to the left.
func kern(b *bytes.Buffer, codes []byte) {
	for len(codes) > 0 {
		if codes[0] == ' ' {
			b.WriteString(" -333")
			codes = codes[1:]
			continue
		}
		n := 1
		for n < len(codes) && n < 4 && codes[n] != ' ' {
			n++
		}
		fmt.Fprintf(b, "<%x>%d ", codes[:n], codes[0]%20)
		codes = codes[n:]
	}
}
