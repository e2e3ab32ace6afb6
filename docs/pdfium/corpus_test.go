package pdfium_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
)

// corpora are folders of real and of crafted files that stand beside some
// checkouts; without them these tests are skipped.
func corpora(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, base := range []string{os.Getenv("ARC_PDF_DATA"), "../../../shared/data"} {
		if base == "" {
			continue
		}
		for _, name := range []string{"pdf", "pdf-crafted"} {
			if dir := filepath.Join(base, name); isDir(dir) {
				dirs = append(dirs, dir)
			}
		}
		if dirs != nil {
			return dirs
		}
	}
	t.Skip("no folder of PDF files is here")
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// peak is the largest resident size that this process has had, in MiB; zero where
// nobody tells.
func peak(t *testing.T) int {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if kb, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(kb, "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n / 1024
		}
	}
	return 0
}

var outcomes = []error{
	docs.ErrEncrypted, docs.ErrNotPDF, docs.ErrDamaged, docs.ErrPage, docs.ErrMemory, docs.ErrTimeout, docs.ErrCrashed,
}

// hang is far more than any file may take, all limits of its pages together.
const hang = 5 * time.Minute

// named are files that hurt other engines, and what becomes of them here.
var named = map[string]string{
	// The declared count is a lie: one page is read.
	"count_1e9.pdf":       "ok",
	"count_huge.pdf":      "ok",
	"count_neg.pdf":       "ok",
	"count_str.pdf":       "ok",
	"poppler-67295-0.pdf": "ok",
	// Circles and depths.
	"parent_cycle.pdf":     "ok",
	"outline_cycle.pdf":    "ok",
	"append-xref-loop.pdf": "ok",
	"struct_deep_2000.pdf": "ok",
	"type3_chain_3000.pdf": "ok",
	"form_chain_100.pdf":   "ok",
	"tree_cycle.pdf":       "a page: the page cannot be read",
	// Bombs.
	"bomb_giant.pdf":            "ok",
	"form_bomb_1e8.pdf":         "a page: needs more memory than the engine may use",
	"flate_bomb_double_2GB.pdf": "a page: needs more memory than the engine may use",
	// What is no PDF, or not one that opens.
	"empty.pdf":              "not a PDF",
	"not_pdf_html.pdf":       "not a PDF",
	"not_pdf_png.pdf":        "not a PDF",
	"not_pdf_text.pdf":       "not a PDF",
	"junk_before.pdf":        "ok",
	"junk_before_2000.pdf":   "not a PDF",
	"header_only.pdf":        "damaged: the engine cannot open it",
	"truncated_half.pdf":     "damaged: the engine cannot open it",
	"unreadablemetadata.pdf": "damaged: the engine cannot open it",
	"issue19484_1.pdf":       "no pages",
}

// outcome names an error of package docs; any other is the test's failure.
func outcome(t *testing.T, err error) string {
	t.Helper()
	for _, known := range outcomes {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	t.Errorf("an error that is none of the package's: %v", err)
	return "?"
}

// TestCorpus reads every file of both folders, and a good one after each that was
// refused or cost a page.
func TestCorpus(t *testing.T) {
	dirs := corpora(t)
	good := write(t, onePage("Still here."))
	counts := map[string]int{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range files {
			t.Run(filepath.Base(path), func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(context.Background(), hang)
				defer cancel()
				found := readAll(t, ctx, path)
				if want, ok := named[filepath.Base(path)]; ok && found != want {
					t.Errorf("%s, want %s", found, want)
				}
				counts[found]++
				if took := time.Since(began); took > time.Second || found != "ok" {
					t.Logf("%s, %v, peak %d MiB", found, took.Round(time.Millisecond), peak(t))
				}
				if found == "ok" {
					return
				}
				d := open(t, engine, good)
				defer d.Close()
				if got := pages(t, d, 1, 1, docs.WantText)[0]; got.Err != nil || got.Text != "Still here.\n" {
					t.Errorf("a good file after it: %q, %v", got.Text, got.Err)
				}
			})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%3d %s", counts[k], k)
	}
	t.Logf("peak resident size %d MiB", peak(t))
	if most := 600; peak(t) > most && !race {
		t.Errorf("the host took more than %d MiB", most)
	}
}

// readAll reads all of a file and says how that went.
func readAll(t *testing.T, ctx context.Context, path string) string {
	d, err := engine.Open(ctx, sourceOf(t, path), docs.OpenOptions{})
	if err != nil {
		return outcome(t, err)
	}
	defer d.Close()
	info, err := d.Info(ctx)
	if err != nil {
		return "info: " + outcome(t, err)
	}
	got, err := d.Pages(ctx, 1, min(info.Pages, 400), docs.WantText|docs.WantInk|docs.WantLabel)
	if err != nil {
		return "pages: " + outcome(t, err)
	}
	if info.Pages == 0 {
		return "no pages"
	}
	for i, p := range got {
		if p.Number != i+1 {
			t.Errorf("page %d is called %d", i+1, p.Number)
		}
		if p.Err != nil {
			return fmt.Sprint("a page: ", outcome(t, p.Err))
		}
	}
	return "ok"
}
