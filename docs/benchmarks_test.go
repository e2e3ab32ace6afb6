//go:build linux && cgo

package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/fitz"
	"github.com/arcseat/arc/docs/worker"
)

func bookFile(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "book.pdf")
	if err := os.WriteFile(path, book(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// cpu is what this process and its children that ended have used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return sum
}

func median[T int | float64 | time.Duration](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// openBook is a new engine with a library on it, which share nothing with others.
func openBook(b *testing.B, o *fitz.Options) (*docs.Library, func()) {
	b.Helper()
	engine, err := fitz.New(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	l := docs.New(&corpus{}, engine, &docs.Options{MaxText: 64 << 20, SearchTimeout: 10 * time.Minute, ReadTimeout: 10 * time.Minute})
	return l, func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
		if err := engine.Close(); err != nil {
			b.Error(err)
		}
	}
}

func search(b *testing.B, l *docs.Library, path, query string) *docs.SearchResult {
	b.Helper()
	r, err := l.Search(context.Background(), "", docs.SearchArgs{Path: path, Query: query})
	if err != nil || r.Searched.EndPage != bookPages {
		b.Fatalf("%+v, %v", r, err)
	}
	return r
}

// merge joins files, each four times, with the program that comes with pdftotext.
func merge(to string, files []string) error {
	return exec.Command("pdfunite", append(slices.Repeat(files, 4), to)...).Run()
}

// What it costs to get the text of all pages, from the start of the worker to its
// end, beside pdftotext: of the book, of the book with fonts that it only names, and
// of real ones if they are here.
func BenchmarkExtractionBesidePdftotext(b *testing.B) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		b.Skip("pdftotext is not installed")
	}
	files := []string{bookFile(b), filepath.Join(b.TempDir(), "bare.pdf")}
	if err := os.WriteFile(files[1], bareBook(), 0o600); err != nil {
		b.Fatal(err)
	}
	var real []string
	if dirs := folders(); dirs != nil {
		for _, name := range []string{"freeculture.pdf", "test-3820.pdf", "GeoTopo-komprimiert.pdf"} {
			if path := filepath.Join(dirs[0], name); exists(path) {
				real = append(real, path)
			}
		}
	}
	if merged := filepath.Join(b.TempDir(), "merged.pdf"); len(real) == 3 && merge(merged, real) == nil {
		files = append(files, merged)
	}
	files = append(files, real...)
	for _, path := range files {
		b.Run(filepath.Base(path), func(b *testing.B) {
			content, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			var ratios, walls []float64
			for b.Loop() {
				began, at := cpu(b), time.Now()
				if err := exec.CommandContext(b.Context(), program, "-enc", "UTF-8", path, "-").Run(); err != nil {
					b.Fatal(err)
				}
				theirs, theirWall := cpu(b)-began, time.Since(at)
				began, at = cpu(b), time.Now()
				l, done := openBook(b, nil)
				if text, err := l.Text(b.Context(), content); err != nil || len(text) < 10_000 {
					b.Fatal(len(text), err)
				}
				done()
				ratios = append(ratios, float64(cpu(b)-began)/float64(theirs))
				walls = append(walls, float64(time.Since(at))/float64(theirWall))
			}
			b.ReportMetric(median(ratios), "cpu-ratio")
			b.ReportMetric(median(walls), "time-ratio")
		})
	}
}

// A second search over all pages beside the first.
func BenchmarkSecondSearch(b *testing.B) {
	path := bookFile(b)
	var ratios, second []float64
	for b.Loop() {
		l, done := openBook(b, nil)
		at := time.Now()
		search(b, l, path, "nowhere in it")
		first := time.Since(at)
		var again []time.Duration
		for _, query := range []string{"nowhere else", "Intellectual Property", "zzz"} {
			at = time.Now()
			search(b, l, path, query)
			again = append(again, time.Since(at))
		}
		done()
		ratios = append(ratios, float64(first)/float64(median(again)))
		second = append(second, float64(median(again))/1e6)
	}
	b.ReportMetric(median(ratios), "times-faster")
	b.ReportMetric(median(second), "ms-second")
}

// Page 1,500 of a document that nobody opened yet, beside page 1 of it.
func BenchmarkColdPage(b *testing.B) {
	path := bookFile(b)
	var more []float64
	for b.Loop() {
		var took [2]time.Duration
		for i, page := range []int{1, 1500} {
			l, done := openBook(b, nil)
			at := time.Now()
			if _, err := l.Read(b.Context(), "", docs.ReadArgs{Path: path, StartPage: page, EndPage: page}); err != nil {
				b.Fatal(err)
			}
			took[i] = time.Since(at)
			done()
		}
		more = append(more, float64(took[1]-took[0])/1e6)
	}
	b.ReportMetric(median(more), "ms-more")
}

// The worker beside the same engine in this process: all pages, in batches.
func BenchmarkWorkerBesideInProcess(b *testing.B) {
	path := bookFile(b)
	inProcess := &fitz.Options{AllowInProcess: true, Worker: &worker.Options{Command: []string{"/there/is/no/such/worker"}}}
	var ratios, cpus []float64
	for b.Loop() {
		var took, used [2]time.Duration
		for i, o := range []*fitz.Options{inProcess, nil} {
			began := cpu(b)
			l, done := openBook(b, o)
			if _, err := l.Read(b.Context(), "", docs.ReadArgs{Path: path, EndPage: 1}); err != nil { // opens it
				b.Fatal(err)
			}
			at := time.Now()
			search(b, l, path, "nowhere in it")
			took[i] = time.Since(at)
			done()
			used[i] = cpu(b) - began
		}
		ratios = append(ratios, float64(took[1])/float64(took[0]))
		cpus = append(cpus, float64(used[1])/float64(used[0]))
	}
	b.ReportMetric(median(ratios), "time-ratio")
	b.ReportMetric(median(cpus), "cpu-ratio")
}

// The memory of the host while it searches all pages twice.
func BenchmarkHostMemory(b *testing.B) {
	path := bookFile(b)
	var peak []int
	for b.Loop() {
		debug.FreeOSMemory()
		// From here on the peak is counted anew.
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			b.Skip("the peak cannot be counted anew here")
		}
		l, done := openBook(b, nil)
		search(b, l, path, "nowhere in it")
		search(b, l, path, "zzz")
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
		var kib int
		if _, err := fmt.Sscan(string(rest), &kib); err != nil {
			b.Fatal(err)
		}
		done()
		peak = append(peak, kib>>10)
	}
	b.ReportMetric(float64(median(peak)), "MiB")
}
