//go:build unix

package worker

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/arcseat/arc/docs"
)

func TestLabelsThatCrashWorkersCostNoText(t *testing.T) {
	t.Parallel()
	log := &counting{}
	d := open(t, newEngine(t, Options{Logger: slog.New(log)}), "", "label crash", "label crash", "crash", "four")
	for range 2 {
		pages, err := d.Pages(t.Context(), 1, 4, docs.WantText|docs.WantLabel)
		if err != nil || said(pages) != "label crash label crash CRASHED four" {
			t.Fatalf("the pages are %q, %v", said(pages), err)
		}
		for _, n := range []int{1, 2, 4} {
			if w := pages[n-1].Warnings; !slices.Contains(w, docs.WarnLabelsNotRead) {
				t.Errorf("page %d has the warnings %q", n, w)
			}
		}
	}
	if got := log.lost.Load(); got > 6 {
		t.Errorf("%d workers were lost, want 3 for the labels and 3 for the page at most", got)
	}
}
