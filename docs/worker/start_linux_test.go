package worker

import (
	"errors"
	"os"
	"testing"

	"github.com/arcseat/arc/docs"
)

// A machine without memory or processes, a program that is being replaced: the
// worker ends before it has seen the file.
func TestNoFileIsBlamedForAWorkerThatDoesNotComeUp(t *testing.T) {
	t.Parallel()
	broken := t.TempDir() + "/broken"
	e := newEngine(t, Options{Command: []string{"sh", "-c", `[ ! -e "$0" ] || exit 1; exec "$1"`, broken, os.Args[0]}})
	src := source(t, "", "one", "two")
	d, err := e.Open(t.Context(), src, docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	open(t, e, "", "it takes the one worker that there may be")
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if pages, err := d.Pages(t.Context(), 1, 2, docs.WantText); !errors.Is(err, docs.ErrUnavailable) || len(pages) > 0 {
		t.Errorf("without a worker Pages returns %q, %v", said(pages), err)
	}
	if d, err := e.Open(t.Context(), src, docs.OpenOptions{}); !errors.Is(err, docs.ErrUnavailable) {
		t.Errorf("without a worker Open returns %v, %v", d, err)
	}
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	again, err := e.Open(t.Context(), src, docs.OpenOptions{})
	if err != nil {
		t.Fatalf("once there is one again Open returns %v", err)
	}
	defer again.Close()
	if pages, err := again.Pages(t.Context(), 1, 2, docs.WantText); err != nil || said(pages) != "one two" {
		t.Errorf("once there is one again the pages are %q, %v", said(pages), err)
	}
}
