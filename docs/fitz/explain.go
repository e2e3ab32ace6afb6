//go:build cgo && !nocgo

package fitz

import (
	"strings"

	"github.com/arcseat/arc/docs/worker"
)

// failedAlloc is what explain says of an allocation that failed.
const failedAlloc = worker.MemoryLimit

// explanations turn what MuPDF logs into warnings.
var explanations = []struct{ part, word string }{
	{"cannot find builtin CJK font", "cjk_font_missing"},
	{"repairing PDF", "repaired"},
	{"trying to repair", "repaired"},
	{"text outside the page", "text_outside_page"}, // shim.c says so
	{"alloc (", failedAlloc},                       // "malloc (N bytes) failed", and so on; see failed below
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
