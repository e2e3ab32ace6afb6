package docs

import (
	"slices"
	"strings"
)

// The words that stand in Warnings. An engine may have others of its own: words of
// lower-case letters, digits and underscores.
const (
	WarnRepaired       = "repaired"                          // the file is damaged, and the engine mended what it could
	WarnFontMissing    = "cjk_font_missing"                  // U+FFFD stands for Chinese, Japanese or Korean letters of a font that is neither in the file nor in the engine
	WarnFormNotRead    = "form_and_annotation_text_not_read" // what is filled into forms, and comments, are not in the text
	WarnOutsidePage    = "text_outside_page"                 // some of the text lies beside the paper, where no reader sees it
	WarnInkNotMeasured = "ink_not_measured"                  // a page could not be drawn, so that nobody knows whether it is a picture
	WarnLabelsNotRead  = "labels_not_read"                   // the printed page numbers are not known
	WarnIncomplete     = "text_may_be_incomplete"            // a page has errors or breaks off, and what could be read may not be all
	WarnXFA            = "xfa_placeholder"                   // a form in XFA: a page asks for another program in place of the form's words
)

// isPlaceholder reports whether text is the page that a form in XFA shows to a
// program that cannot fill it: the words of the form are nowhere in the pages.
func isPlaceholder(text string) bool {
	return len(text) < 4000 && strings.Contains(text, "Please wait") &&
		strings.Contains(strings.Join(strings.Fields(text), " "), "If this message is not eventually replaced")
}

// fontWarning settles whether a page lacks a font. Engines say so once, of the
// document or of the page at which they met the font, but the text may be right all
// the same, or lack its letters on other pages too.
func (t *pageText) fontWarning(missing bool) {
	if !missing || !strings.ContainsRune(t.text, '\ufffd') {
		t.warnings = without(t.warnings, WarnFontMissing)
		return
	}
	t.warnings = addWarnings(t.warnings, []string{WarnFontMissing})
}

// without is all but one word.
func without(words []string, word string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return w == word })
}
