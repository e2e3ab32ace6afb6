//go:build unix

package worker

import (
	"context"
	"errors"
	"testing"

	"github.com/arcseat/arc/docs"
)

// justEnded has ended, and nothing that waits for it knows yet.
type justEnded struct{ context.Context }

func (justEnded) Err() error { return context.Canceled }

func TestRepliesOfACallThatHasEndedAreNobodys(t *testing.T) {
	t.Parallel()
	d := open(t, newEngine(t, Options{}), "", "one", "two", "three").(*document)
	const want = docs.WantText | docs.WantInk
	err := d.use(t.Context(), func(p *process) error {
		_, err := (&reading{d: d, want: want, room: maxTotal}).ask(justEnded{context.Background()}, p, 1, 3, want, false)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the call ends with %v", err)
	}
	for range 3 {
		if pages, err := d.Pages(t.Context(), 2, 2, docs.WantText); err != nil || said(pages) != "two" {
			t.Errorf("page 2 is %q, %v", said(pages), err)
		}
	}
}
