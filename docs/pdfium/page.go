package pdfium

import (
	"image"
	"strings"

	pdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/arcseat/arc/docs"
)

// The rendering that ink is measured on: 18 dots per inch of a letter or A4 page,
// and no more for a larger one.
const (
	inkWidth  = 153
	inkHeight = 210
	nearWhite = 250 // and above is white: scans and smoothing leave a haze
)

// someAnnotations is how many annotations of a page are looked at for a warning.
const someAnnotations = 64

func (s *sandbox) at(n int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: s.ref, Index: n - 1}}
}

// loads is nil if the page can be loaded.
func (s *sandbox) loads(p pdfium.Pdfium, n int) error {
	_, err := p.GetPageSize(&requests.GetPageSize{Page: s.at(n)})
	return err
}

// page reads what is wanted of a page, but for its ink.
func (s *sandbox) page(p pdfium.Pdfium, page *docs.Page, want docs.Want) (err error) {
	if page.Number < 1 {
		return docs.ErrPage
	}
	if err := s.loads(p, page.Number); err != nil {
		return err
	}
	if want&docs.WantText != 0 {
		if page.Text, err = s.text(p, page.Number); err != nil {
			return err
		}
		unread, err := s.unread(p, page.Number)
		if err != nil {
			return err
		}
		if unread {
			page.Warnings = append(page.Warnings, docs.WarnFormNotRead)
		}
	}
	if want&docs.WantLabel != 0 {
		label, err := p.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: s.ref, Page: page.Number - 1})
		if accident(err) {
			return err
		}
		if err == nil {
			page.Label = label.Label
		}
	}
	return nil
}

func (s *sandbox) text(p pdfium.Pdfium, n int) (string, error) {
	layer, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: s.at(n)})
	if err != nil {
		return "", err
	}
	count, err := p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: layer.TextPage})
	if err != nil {
		return "", err
	}
	var text string
	if count.Count < 0 {
		return "", docs.ErrPage
	}
	if count.Count > 0 {
		// One call for the whole: each one costs a goroutine that watches the clock.
		got, err := p.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: layer.TextPage, Count: count.Count})
		if err != nil {
			return "", err
		}
		text = got.Text
	}
	if _, err := p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: layer.TextPage}); err != nil {
		return "", err
	}
	return lines(text), nil
}

// breaks undoes PDFium's way with lines: they end in CR LF, but where a hyphen ends
// one there is U+FFFE in place of both.
var breaks = strings.NewReplacer("\r\n", "\n", "\ufffe", "-\n")

// lines gives each line its line feed.
func lines(text string) string {
	text = breaks.Replace(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// unread says whether the page has form fields or annotations with text, which
// PDFium does not count as the page's.
func (s *sandbox) unread(p pdfium.Pdfium, n int) (bool, error) {
	count, err := p.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: s.at(n)})
	if err != nil {
		return false, err
	}
	for i := range min(count.Count, someAnnotations) {
		got, err := p.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: s.at(n), Index: i})
		if accident(err) {
			return false, err
		}
		if err != nil {
			continue // a broken annotation
		}
		kind, err := p.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: got.Annotation})
		if err != nil {
			return false, err
		}
		if _, err := p.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: got.Annotation}); err != nil {
			return false, err
		}
		switch kind.Subtype {
		case enums.FPDF_ANNOT_SUBTYPE_WIDGET, enums.FPDF_ANNOT_SUBTYPE_XFAWIDGET, enums.FPDF_ANNOT_SUBTYPE_FREETEXT,
			enums.FPDF_ANNOT_SUBTYPE_TEXT, enums.FPDF_ANNOT_SUBTYPE_STAMP:
			return true, nil
		}
	}
	return count.Count > someAnnotations, nil
}

// ink renders the page small on white, with its annotations and form fields: their
// text is not read, but the page is not empty.
func (s *sandbox) ink(p pdfium.Pdfium, page *docs.Page) error {
	res, err := p.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: s.at(page.Number), Document: &s.ref, Width: inkWidth, Height: inkHeight,
		RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT, RenderForm: true, ImageFormat: requests.RenderImageFormatGrayscale,
	})
	if accident(err) {
		return err
	}
	if err != nil {
		return nil // a page without width or height has none
	}
	defer res.Cleanup()
	gray, ok := res.Result.RenderedImage.(*image.Gray)
	if !ok || gray.Rect.Empty() {
		return nil
	}
	dark := 0
	for y := range gray.Rect.Dy() {
		for _, v := range gray.Pix[y*gray.Stride:][:gray.Rect.Dx()] {
			if v < nearWhite {
				dark++
			}
		}
	}
	page.Ink, page.HasInk = float64(dark)/float64(gray.Rect.Dx()*gray.Rect.Dy()), true
	return nil
}
