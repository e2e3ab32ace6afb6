package worker

import (
	"slices"
	"sync"
)

// maxHeard is how many pages' warnings a document remembers.
const maxHeard = 10_000

// heard are the warnings of a document's pages. A library warns of a font when it
// loads it, which is once: a page that is read again would be told without.
type heard struct {
	mu    sync.Mutex
	pages map[int][]string
}

// add returns all warnings that page n had so far, and has now.
func (h *heard) add(n int, warnings []string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.pages[n]
	for _, w := range warnings {
		if !slices.Contains(all, w) && len(all) < maxWarnings {
			all = append(all, w)
		}
	}
	if len(all) > 0 && (h.pages[n] != nil || len(h.pages) < maxHeard) {
		if h.pages == nil {
			h.pages = map[int][]string{}
		}
		h.pages[n] = all
	}
	return slices.Clone(all)
}
