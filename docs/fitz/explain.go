//go:build cgo && !nocgo

package fitz

import (
	"strings"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/worker"
)

// failedAlloc is what explain says of an allocation that failed.
const failedAlloc = worker.MemoryLimit

// explanations turn what MuPDF logs into warnings. Behind an error in a page it goes
// on, or leaves out the rest, and which of the two it does not say.
var explanations = []struct{ part, word string }{
	{"cannot find builtin CJK font", docs.WarnFontMissing},
	{"repairing PDF", docs.WarnRepaired},
	{"trying to repair", docs.WarnRepaired},
	{"text outside the page", docs.WarnOutsidePage},  // shim.c says so
	{"errors in the page", docs.WarnIncomplete},      // the same
	{"page labels not read", docs.WarnLabelsNotRead}, // the same
	{"cannot load content stream", docs.WarnIncomplete},
	{"premature end of data", docs.WarnIncomplete}, // a stream that breaks off
	{"treating as end of file", docs.WarnIncomplete},
	{"limit error", docs.WarnIncomplete}, // too deep
	{"bomb defused", docs.WarnIncomplete},
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
