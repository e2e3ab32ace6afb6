//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
)

// patience is how long a page of a play may take: short where one hangs, as that
// has to be waited for, but long enough for one that does not on a busy machine.
func patience(play string) time.Duration {
	for _, hanging := range []string{"hang", "slow", "gives up"} {
		if strings.Contains(play, hanging) {
			return 3 * time.Second
		}
	}
	return time.Minute
}

// A worker that crashes, hangs, swells or lies is what reports of lost services
// are about; here each costs the page it comes from.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, pages, want string
	}{
		{"come in order", "one|two|three", "one two three"},
		{"are bytes, whatever they are", "bytes|é", "\x00\xff\xed\xa0\x80é é"},
		{"cost themselves when the process exits", "one|crash|three", "one CRASHED three"},
		{"cost themselves when the process aborts", "abort|two|abort|abort|five", "CRASHED two CRASHED CRASHED five"},
		{"cost themselves in any batch", strings.Repeat("a|", 20) + "crash|" + strings.Repeat("a|", 20) + "z", strings.Repeat("a ", 20) + "CRASHED " + strings.Repeat("a ", 20) + "z"},
		{"that hang are ended", "one|hang|three", "one TIMEOUT three"},
		{"that the engine itself gives up cost no worker", "one|slow|three", "one TIMEOUT three"},
		{"that take all memory are ended", "one|memory|three", "one MEMORY three"},
		{"that the engine refuses memory", "refused|two", "MEMORY two"},
		{"that cannot be read", "cannot|two", "PAGE two"},
		{"that fit no frame", "one|too large|three", "one MEMORY three"},
		{"cost themselves when they send garbage", "one|garbage|three", "one CRASHED three"},
		{"cost themselves when they promise too much", "one|endless|three", "one CRASHED three"},
		{"cost themselves when they are another page", "one|wrong page|three", "one CRASHED three"},
		{"cost themselves when they have more ink than paper", "odd ink|two", "CRASHED two"},
		{"hold no words of the file as an error", "odd error|two", "CRASHED two"},
		{"are read by a process without an environment", "environment", ""},
		{"are read by a process that can make no file", "write", "not written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if raced && strings.Contains(c.want, "MEMORY") {
				t.Skip("the race detector dies without memory too, and not always with the same words")
			}
			e := newEngine(t, Options{PageTimeout: patience(c.pages)})
			lines := append([]string{""}, strings.Split(c.pages, "|")...)
			d := open(t, e, lines...)
			for _, again := range []string{"", ", and again"} {
				pages, err := d.Pages(t.Context(), 1, len(lines)-1, docs.WantText)
				if err != nil || said(pages) != c.want {
					t.Errorf("the pages%s are %.300q, %v; want %q", again, said(pages), err, c.want)
				}
				for i, p := range pages {
					if p.Number != i+1 {
						t.Errorf("page %d is numbered %d", i+1, p.Number)
					}
				}
			}
		})
	}
}

// counting counts what a Logger hears of lost workers.
type counting struct {
	slog.Handler
	lost atomic.Int32
}

func (c *counting) Enabled(context.Context, slog.Level) bool { return true }

func (c *counting) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn {
		c.lost.Add(1)
	}
	return nil
}

func (c *counting) WithAttrs([]slog.Attr) slog.Handler { return c }

func TestHarmIsPaidForOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, page string
		want       docs.Want
		lost       int32
		said       string
	}{
		{"a crash costs the batch, the page and the page alone", "crash", docs.WantText, 3, "CRASHED"},
		{"a page that crashed once is read", "crash once " + t.TempDir() + "/1", docs.WantText, 1, "survived"},
		{"a page that took too long is not tried again", "hang", docs.WantText, 1, "TIMEOUT"},
		{"ink that crashes costs the ink", "ink crash", docs.WantText | docs.WantInk, 1, "drawn"},
		{"ink that hangs costs the ink", "ink hang", docs.WantText | docs.WantInk, 1, "drawn"},
		{"ink that the engine gives up costs the ink", "ink slow", docs.WantText | docs.WantInk, 0, "drawn"},
		{"ink that the engine leaves out after all of its time costs the ink", "ink gives up", docs.WantText | docs.WantInk, 0, "drawn"},
		{"ink costs nothing if it is not asked for", "ink crash", docs.WantText, 0, "drawn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			log := &counting{}
			e := newEngine(t, Options{PageTimeout: patience(c.page), Logger: slog.New(log)})
			for range 3 {
				d := open(t, e, "", "before", c.page, "after")
				pages, err := d.Pages(t.Context(), 1, 3, c.want)
				if err != nil || said(pages) != "before "+c.said+" after" {
					t.Fatalf("the pages are %q, %v", said(pages), err)
				}
				if c.want&docs.WantInk != 0 {
					p := pages[1]
					if p.HasInk || !slices.Equal(p.Warnings, []string{docs.WarnInkNotMeasured}) || !pages[0].HasInk || !pages[2].HasInk || pages[2].Ink != 0.5 {
						t.Errorf("the pages' ink is %+v", pages)
					}
				}
				d.Close()
			}
			if got := log.lost.Load(); got != c.lost {
				t.Errorf("%d workers were lost in three readings, want %d", got, c.lost)
			}
		})
	}
}

func TestStandardErrorBecomesWarnings(t *testing.T) {
	t.Parallel()
	d := open(t, newEngine(t, Options{}), "", "quiet", "noise", "quiet")
	pages, err := d.Pages(t.Context(), 1, 3, docs.WantText)
	if err != nil || said(pages) != "quiet heard quiet" {
		t.Fatalf("the pages are %q, %v", said(pages), err)
	}
	heard := slices.Concat(pages[0].Warnings, pages[1].Warnings, pages[2].Warnings)
	if !slices.Equal(heard, []string{"fonts_missing"}) {
		t.Errorf("the warnings are %q", heard)
	}
	again, err := d.Pages(t.Context(), 1, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range again {
		if !slices.Equal(p.Warnings, pages[i].Warnings) {
			t.Errorf("read again, page %d has the warnings %q, and had %q", i+1, p.Warnings, pages[i].Warnings)
		}
	}
}

func TestACallIsBounded(t *testing.T) {
	t.Parallel()
	lines := []string{""}
	for range 20 {
		lines = append(lines, "large") // 5 MiB
	}
	d := open(t, newEngine(t, Options{}), lines...)
	pages, err := d.Pages(t.Context(), 1, 20, docs.WantText)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pages {
		if kept := i < maxTotal/(5<<20); kept != (len(p.Text) == 5<<20) || kept == errors.Is(p.Err, docs.ErrMemory) {
			t.Errorf("page %d has %d bytes and %v", i+1, len(p.Text), p.Err)
		}
	}
	if pages, err := d.Pages(t.Context(), 20, 20, docs.WantText); err != nil || len(pages[0].Text) != 5<<20 {
		t.Errorf("a page that there was no room for is gone for good: %v, %v", err, pages[0].Err)
	}
}

func TestARangeThatIsNone(t *testing.T) {
	t.Parallel()
	d := open(t, newEngine(t, Options{}), "", "one")
	for _, r := range [][2]int{{0, 1}, {2, 1}, {-3, -1}} {
		if pages, err := d.Pages(t.Context(), r[0], r[1], docs.WantText); err == nil {
			t.Errorf("pages %v are %v", r, pages)
		}
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	t.Run("is cut", func(t *testing.T) {
		t.Parallel()
		info, err := open(t, newEngine(t, Options{}), "", "one", "two").Info(t.Context())
		if err != nil || info.Pages != 2 || info.Format != "play" || len(info.Metadata.Title) != maxField {
			t.Errorf("info is %+v, %v", fmt.Sprintf("%.100v", info), err)
		}
	})
	t.Run("that crashes is asked for twice, ever", func(t *testing.T) {
		t.Parallel()
		log := &counting{}
		d := open(t, newEngine(t, Options{Logger: slog.New(log)}), "info crash", "one")
		for range 3 {
			if _, err := d.Info(t.Context()); !errors.Is(err, docs.ErrCrashed) {
				t.Errorf("info is an error, %v", err)
			}
		}
		if got := log.lost.Load(); got != 2 {
			t.Errorf("%d workers were lost", got)
		}
		if pages, err := d.Pages(t.Context(), 1, 1, docs.WantText); err != nil || said(pages) != "one" {
			t.Errorf("the pages are %q, %v", said(pages), err)
		}
	})
}
