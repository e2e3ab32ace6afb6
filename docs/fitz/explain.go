//go:build cgo && !nocgo

package fitz

import (
	"strings"

	"github.com/arcseat/arc/docs/worker"
)

// failedAlloc is what explain says of an allocation that failed.
const failedAlloc = worker.MemoryLimit

// incomplete says that MuPDF met errors while it read a page's text: it goes on
// behind each, or leaves out the rest, and which of the two it does not say.
const incomplete = "text_may_be_incomplete"

// explanations turn what MuPDF logs into warnings.
var explanations = []struct{ part, word string }{
	{"cannot find builtin CJK font", "cjk_font_missing"},
	{"repairing PDF", "repaired"},
	{"trying to repair", "repaired"},
	{"text outside the page", "text_outside_page"}, // shim.c says so
	{"errors in the page", incomplete},             // the same
	{"page labels not read", "labels_not_read"},    // the same
	{"cannot load content stream", incomplete},
	{"premature end of data", incomplete}, // a stream that breaks off
	{"treating as end of file", incomplete},
	{"alloc (", failedAlloc}, // "malloc (N bytes) failed", and so on; see failed below
	{"alloc of ", failedAlloc},
}

// explain is the warning that a line of MuPDF's log stands for, or "".
func explain(line string) string {
	for _, e := range explanations {
		if !strings.Contains(line, e.part) {
			continue
		}
		if e.word == failedAlloc && !strings.Contains(line, "failed") {
			continue
		}
		return e.word
	}
	return ""
}
