package webtool

import (
	"strings"

	"github.com/arcseat/arc/internal/page"
)

// pageEnd is where the page of text ends that begins at from: after size bytes at
// most, and sooner where a block or a line ends. Text that follows the main part is
// left for another page if that is most of a page away.
func pageEnd(text string, from, size, mainEnd int) int {
	if len(text)-from <= size {
		return len(text)
	}
	most := from + page.Cut(text[from:], size)
	if mainEnd > from+size/2 && mainEnd <= most {
		return page.Cut(text, mainEnd)
	}
	quarter := text[from+page.Cut(text[from:], size-size/4) : most]
	if i := strings.LastIndex(quarter, "\n\n"); i >= 0 {
		return most - len(quarter) + i + 2
	}
	if i := strings.LastIndexByte(quarter, '\n'); i >= 0 {
		return most - len(quarter) + i + 1
	}
	if i := strings.LastIndexByte(quarter, ' '); i >= 0 {
		return most - len(quarter) + i + 1
	}
	return most
}

// pageText is s, cut to max bytes between two words where that is near.
func pageText(s string, max int) string {
	if len(s) <= max {
		return s
	}
	s = s[:page.Cut(s, max-len("…"))]
	if i := strings.LastIndexAny(s, " \n"); i > len(s)*3/4 {
		s = s[:i]
	}
	return s + "…"
}
