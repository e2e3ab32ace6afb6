//go:build unix

package worker

import (
	"testing"

	"github.com/arcseat/arc/docs"
)

func TestALastPageThatCannotBeLoadedCostsThatPage(t *testing.T) {
	t.Parallel()
	for line, loads := range map[string]bool{"last": true, "cannot": false, "crash": false, "hang": false} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			d := open(t, newEngine(t, Options{PageTimeout: patience(line)}), "last unknown", "one", line)
			info, err := d.Info(t.Context())
			if err != nil || info.Pages != 2 || info.LastLoads != loads {
				t.Errorf("the file says %d pages, the last loads: %v, %v", info.Pages, info.LastLoads, err)
			}
			if pages, err := d.Pages(t.Context(), 1, 1, docs.WantText); err != nil || said(pages) != "one" {
				t.Errorf("the first page is %q, %v", said(pages), err)
			}
		})
	}
}
