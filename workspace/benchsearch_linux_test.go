package workspace

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/workspace/internal/fold"
)

var (
	benchRg   = flag.String("rg", "", "ripgreps to compare with beside the one on the path, with commas between")
	benchTree = flag.String("tree", "", "a tree of many files to search; made of copies of Go's own source if empty")
)

func init() { pageParts = append(pageParts, searchPart, listPart, fileParts) }

// used is what something took.
type used struct{ cpu, wall time.Duration }

// call measures do, in this process.
func call(t *testing.T, do func()) used {
	t.Helper()
	began, at := selfCPU(t), time.Now()
	do()
	return used{selfCPU(t) - began, time.Since(at)}
}

func selfCPU(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// program measures a program whose output goes nowhere; one that finds nothing
// fails with 1.
func program(t *testing.T, name string, args ...string) used {
	t.Helper()
	c := exec.Command(name, args...)
	at := time.Now()
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 1 {
		t.Fatal(name, args, err)
	}
	return used{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(at)}
}

// A rival is one way to do something; the first of several is what all others are
// compared with.
type rival struct {
	name string
	run  func() used
}

// compare lets them take turns and returns the medians of their times, and of
// their CPU times by that of the first.
func compare(rivals []rival) (times []used, ratios, walls []float64) {
	all := make([][]used, len(rivals))
	for _, r := range rivals { // brings everything into the page cache
		r.run()
	}
	for round := range *benchRuns {
		for i := range rivals {
			i = (i + round) % len(rivals)
			all[i] = append(all[i], rivals[i].run())
		}
	}
	for i := range rivals {
		var cpu, wall []time.Duration
		var ratio, wallRatio []float64
		for round, u := range all[i] {
			cpu, wall = append(cpu, u.cpu), append(wall, u.wall)
			ratio = append(ratio, float64(u.cpu)/float64(all[0][round].cpu))
			wallRatio = append(wallRatio, float64(u.wall)/float64(all[0][round].wall))
		}
		times = append(times, used{median(cpu), median(wall)})
		ratios, walls = append(ratios, median(ratio)), append(walls, median(wallRatio))
	}
	return times, ratios, walls
}

// ripgreps are those to compare with, the newest last, each with its version.
func ripgreps(t *testing.T) (paths, versions []string) {
	t.Helper()
	for _, path := range append([]string{"rg"}, strings.Split(*benchRg, ",")...) {
		if path == "" {
			continue
		}
		out, err := exec.Command(path, "--version").Output()
		if err != nil {
			t.Logf("%s: %v", path, err)
			continue
		}
		version, _, _ := strings.Cut(string(out), "\n")
		version, _, _ = strings.Cut(version, " (")
		paths, versions = append(paths, path), append(versions, version)
	}
	if len(paths) == 0 {
		t.Skip("there is no ripgrep to compare with")
	}
	return paths, versions
}

// trees are the Go source tree, and one of more than 90,000 files.
func trees(t *testing.T) (small, large string) {
	t.Helper()
	small = filepath.Join(runtime.GOROOT(), "src")
	if large = *benchTree; large == "" {
		large = filepath.Join(os.TempDir(), "arc-bench-tree")
		for i := range 8 {
			to := filepath.Join(large, fmt.Sprintf("copy%d", i))
			if _, err := os.Stat(to); err == nil {
				continue
			}
			if err := os.CopyFS(to+".part", os.DirFS(small)); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(to+".part", to); err != nil {
				t.Fatal(err)
			}
		}
	}
	return small, large
}

func openTree(t *testing.T, dir string) *Workspace {
	t.Helper()
	ws, err := Open(dir, &Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

// searchAll searches to the end, whatever there is, and counts the lines.
func searchAll(t *testing.T, ws *Workspace, query string, workers int) (lines int) {
	t.Helper()
	p, err := ws.resolve(ctx, ".")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s := searchRun{ws: ws, matcher: fold.New(query), limit: 1 << 30, workers: workers}
	err = s.run(ctx, p, func(f *finding) error {
		lines += len(f.lines)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// rgFlags are what makes ripgrep do the same work.
var rgFlags = []string{"--no-ignore", "--hidden", "-F", "-i", "-j1"}

func searchPart(t *testing.T, page *strings.Builder) {
	paths, versions := ripgreps(t)
	small, large := trees(t)
	fmt.Fprintf(page, "\n## Search\n\nBeside `rg %s`, CPU. A search to the end with one worker and with as many as there are processors, and a call as a model makes it, which ends with its page of 50 lines.\n\n", strings.Join(rgFlags, " "))
	columns := []string{"tree", "query", "lines"}
	for _, v := range versions {
		columns = append(columns, v)
	}
	columns = append(columns, "one worker", "ratio", "all workers", "ratio", "wanted", "time of it", "50 lines", "ratio", "wanted")
	table := newBenchTable(columns...)
	for _, tree := range []struct {
		name, dir string
		most      float64
		queries   []string
	}{
		{"Go's source", small, 1, []string{"the", "mutex", "sync.Mutex", "return err", "zzqxjk"}},
		{"large", large, 1.15, []string{"the", "mutex", "zzqxjk"}},
	} {
		ws := openTree(t, tree.dir)
		for _, query := range tree.queries {
			if lines := searchAll(t, ws, query, 0); !sameCount(t, paths[len(paths)-1], query, tree.dir, lines) {
				t.Errorf("%d lines have %s", lines, query)
			}
			rivals := []rival{}
			for _, p := range paths {
				rivals = append(rivals, rival{p, func() used { return program(t, p, append(rgFlags, query, tree.dir)...) }})
			}
			lines := 0
			rivals = append(rivals,
				rival{"one", func() used { return call(t, func() { lines = searchAll(t, ws, query, 1) }) }},
				rival{"all", func() used { return call(t, func() { searchAll(t, ws, query, 0) }) }},
				rival{"page", func() used {
					return call(t, func() {
						if _, err := ws.Search(ctx, SearchArgs{Query: query}); err != nil {
							t.Fatal(err)
						}
					})
				}})
			times, ratios, walls := compare(rivals)
			cells := []string{tree.name, query, fmt.Sprint(lines)}
			for i := range paths {
				cells = append(cells, ms(times[i].cpu))
			}
			n := len(paths)
			pageWanted := ""
			if lines > searchLimit {
				pageWanted = wanted(ratios[n+2], 0.3)
			}
			cells = append(cells, ms(times[n].cpu), fmt.Sprintf("%.2f", ratios[n]), ms(times[n+1].cpu), fmt.Sprintf("%.2f", ratios[n+1]), wanted(ratios[n+1], tree.most),
				fmt.Sprintf("%.2f", walls[n+1]), ms(times[n+2].cpu), fmt.Sprintf("%.3f", ratios[n+2]), pageWanted)
			table.row(cells...)
			t.Log(strings.Join(cells, " | "))
		}
	}
	page.WriteString(table.String())
	fmt.Fprintf(page, "\nThe ratio is to %s. The large tree has %d files. ripgrep on an empty directory takes %s.\n", versions[0], countFiles(t, large), ms(emptyRun(t, paths[0])))
	debug.FreeOSMemory()
	peak := peakOf(t, func() { searchAll(t, openTree(t, large), "mutex", 0) })
	fmt.Fprintf(page, "The process has at most %.1f MiB in memory during a search of the large tree (wanted %s).\n", peak, wanted(peak, 64))
	t.Logf("peak %.1f MiB", peak)
}

func emptyRun(t *testing.T, rg string) time.Duration {
	dir, all := t.TempDir(), []time.Duration{}
	for range *benchRuns {
		all = append(all, program(t, rg, append(rgFlags, "x", dir)...).cpu)
	}
	return median(all)
}

// sameCount asks ripgrep for the number of lines.
func sameCount(t *testing.T, rg, query, dir string, lines int) bool {
	out, err := exec.Command(rg, append(rgFlags, "-c", "--no-filename", "--text", query, dir)...).Output()
	total := 0
	for line := range strings.Lines(string(out)) {
		n := 0
		fmt.Sscan(line, &n)
		total += n
	}
	t.Logf("%s: %d lines, ripgrep %d with binary files (%v)", query, lines, total, err)
	return lines <= total
}

func countFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// peakOf is how many MiB the process has in memory at most during do.
func peakOf(t *testing.T, do func()) float64 {
	t.Helper()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log("the peak is that of the whole run: ", err)
	}
	do()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib := 0
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return float64(kib) / 1024
}

func listPart(t *testing.T, page *strings.Builder) {
	paths, versions := ripgreps(t)
	small, large := trees(t)
	fmt.Fprintf(page, "\n## List\n\nBeside programs that list files, CPU. Ours is in path order, and by the rules of .gitignore; theirs have neither.\n\n")
	table := newBenchTable("tree", "program", "CPU", "ratio to "+versions[0], "wanted", "time")
	for _, tree := range []struct{ name, dir string }{{"Go's source", small}, {"large", large}} {
		ws := openTree(t, tree.dir)
		var rivals []rival
		for i, p := range paths {
			rivals = append(rivals, rival{versions[i] + " --files -j1", func() used { return program(t, p, "--files", "--no-ignore", "--hidden", "-j1", tree.dir) }})
		}
		for _, other := range [][]string{{"fdfind", "-u", "-j1", "."}, {"fd", "-u", "-j1", "."}, {"find"}} {
			if _, err := exec.LookPath(other[0]); err == nil {
				args := append(other[1:len(other):len(other)], tree.dir)
				rivals = append(rivals, rival{strings.Join(other, " "), func() used { return program(t, other[0], args...) }})
			}
		}
		rivals = append(rivals, rival{"List, all entries", func() used {
			return call(t, func() {
				if l, err := ws.listing(ctx, listKey{".", true}, maxWalk); err != nil || len(l.entries) < 1000 {
					t.Fatal(err)
				}
			})
		}})
		times, ratios, _ := compare(rivals)
		for i, r := range rivals {
			last := ""
			if i == len(rivals)-1 {
				last = wanted(ratios[i], 1)
			}
			table.row(tree.name, r.name, ms(times[i].cpu), fmt.Sprintf("%.2f", ratios[i]), last, ms(times[i].wall))
			t.Log(tree.name, r.name, times[i].cpu, ratios[i])
		}
	}
	page.WriteString(table.String())
}

// fileParts are about single large files.
func fileParts(t *testing.T, page *strings.Builder) {
	paths, versions := ripgreps(t)
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src/net/http/server.go"))
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"large": 1 << 30, "some": 100 << 20} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < size && err == nil; n += len(text) {
			_, err = f.Write(text)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ws := openTree(t, dir)
	fmt.Fprintf(page, "\n## Large files\n\n")
	table := newBenchTable("what", "CPU", "beside", "CPU of it", "ratio", "wanted")
	for _, query := range []string{"zzqxjk", "the state machine of"} {
		var rivals []rival
		for _, p := range paths {
			rivals = append(rivals, rival{p, func() used { return program(t, p, append(rgFlags, query, filepath.Join(dir, "large"))...) }})
		}
		rivals = append(rivals, rival{"ours", func() used {
			return call(t, func() {
				if _, err := ws.search(ctx, SearchArgs{Query: query, Path: "large"}, time.Hour); err != nil {
					t.Fatal(err)
				}
			})
		}})
		times, ratios, _ := compare(rivals)
		last := len(rivals) - 1
		for i := range paths {
			by := ratios[last] / ratios[i]
			table.row("search for "+query+" in 1 GiB", ms(times[last].cpu), versions[i], ms(times[i].cpu), fmt.Sprintf("%.2f", by), wanted(by, 1.6))
			t.Log(query, times[last].cpu, versions[i], times[i].cpu, by)
		}
	}
	for _, at := range []int{1, 1_000_000} {
		times, ratios, _ := compare([]rival{
			{"hash", func() used { return call(t, func() { hashPlainly(t, filepath.Join(dir, "some")) }) }},
			{"read", func() used {
				return call(t, func() {
					if _, err := ws.Read(context.Background(), ReadArgs{Path: "some", StartLine: at}); err != nil {
						t.Fatal(err)
					}
				})
			}},
		})
		table.row(fmt.Sprintf("read a slice at line %d of 100 MiB", at), ms(times[1].cpu), "hashing it", ms(times[0].cpu), fmt.Sprintf("%.2f", ratios[1]), wanted(ratios[1], 1.2))
		t.Log("read", at, times, ratios)
	}
	page.WriteString(table.String())
}

func hashPlainly(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, buf := sha256.New(), make([]byte, readBuffer)
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, buf); err != nil {
		t.Fatal(err)
	}
}
