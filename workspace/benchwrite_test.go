package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// editBesideBare edits a file of 100 KB durably, and beside each edit writes the same
// bytes in the way that is bare of everything: a temporary file, its sync, a rename
// over the old one, a sync of the directory. It returns what each took.
func editBesideBare(tb testing.TB, rounds int) (edits, bares []time.Duration) {
	tb.Helper()
	dir := tb.TempDir()
	ws, err := Open(dir, &Options{State: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	defer ws.Close()
	line := "the quick brown fox jumps over the lazy dog, again and again and again %6d\n"
	var text strings.Builder
	for n := 0; text.Len() < 100_000; n++ {
		fmt.Fprintf(&text, line, n)
	}
	content := strings.Replace(text.String(), "     0\n", "round 0\n", 1)
	hash := string(hashOf([]byte(content)))
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o644); err != nil {
		tb.Fatal(err)
	}
	for n := range rounds {
		begun := time.Now()
		r, err := ws.Edit(ctx, by, EditArgs{Path: "f", OldString: fmt.Sprintf("round %d\n", n), NewString: fmt.Sprintf("round %d\n", n+1), ExpectedSHA256: hash})
		edits = append(edits, time.Since(begun))
		if err != nil {
			tb.Fatal(err)
		}
		hash = string(r.SHA256)
		begun = time.Now()
		err = bareWrite(dir, "bare", []byte(content))
		bares = append(bares, time.Since(begun))
		if err != nil {
			tb.Fatal(err)
		}
	}
	return edits, bares
}

func bareWrite(dir, name string, content []byte) error {
	tmp := filepath.Join(dir, name+".tmp")
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// medianRatio is the median of the rounds' ratios.
func medianRatio(a, b []time.Duration) float64 {
	var all []float64
	for i := range a {
		all = append(all, float64(a[i])/float64(b[i]))
	}
	return median(all)
}

// BenchmarkDurableEdit reports how many times as long as a bare write a durable edit
// takes.
func BenchmarkDurableEdit(b *testing.B) {
	edits, bares := editBesideBare(b, b.N)
	b.ReportMetric(medianRatio(edits, bares), "x-bare")
	b.Logf("score: durable_edit %.2f ≤ 3 times a bare write, fsync, rename and fsync of the directory, both of 100 KB", medianRatio(edits, bares))
	b.ReportMetric(float64(median(edits).Microseconds()), "µs/edit")
	b.ReportMetric(float64(median(bares).Microseconds()), "µs/bare")
	b.ReportMetric(0, "ns/op")
}

// journalOf makes the journal of that many edits and returns the options that open it.
func journalOf(tb testing.TB, changes int) (dir string, o *Options) {
	tb.Helper()
	dir, o = tb.TempDir(), &Options{State: tb.TempDir(), Durability: Process, KeepChanges: 2 * changes}
	ws, err := Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	defer ws.Close()
	text := strings.Repeat("a line of the file that is edited\n", 60)
	files := 100
	hashes := make([]string, files)
	for n := range changes {
		path := fmt.Sprintf("some/folder/file%d.go", n%files)
		r, err := ws.Write(ctx, by, WriteArgs{Path: path, Content: fmt.Sprintf("%d\n%s", n, text), ExpectedSHA256: hashes[n%files]})
		if err != nil {
			tb.Fatal(err)
		}
		hashes[n%files] = string(r.SHA256)
	}
	return dir, o
}

// openCost opens a journal and returns what that took and what it holds in memory.
func openCost(tb testing.TB, dir string, o *Options) (took time.Duration, held uint64) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begun := time.Now()
	ws, err := Open(dir, o)
	took = time.Since(begun)
	if err != nil {
		tb.Fatal(err)
	}
	defer ws.Close()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(ws)
	if after.HeapAlloc > before.HeapAlloc {
		held = after.HeapAlloc - before.HeapAlloc
	}
	return took, held
}

// BenchmarkOpenJournal opens a journal of 10,000 changes.
func BenchmarkOpenJournal(b *testing.B) {
	dir, o := journalOf(b, 10_000)
	var took []time.Duration
	var held uint64
	for range b.N {
		t, h := openCost(b, dir, o)
		took, held = append(took, t), max(held, h)
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/open")
	b.ReportMetric(float64(held)/(1<<20), "MiB")
	b.ReportMetric(0, "ns/op")
}
