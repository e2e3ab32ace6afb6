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
	"testing"
	"time"

	"github.com/arcseat/arc/workspace/internal/fold"
)

var (
	benchRg   = flag.String("rg", "", "ripgreps to compare with beside the one on the path, with commas between")
	benchTree = flag.String("tree", "", "a tree of many files to search; made of copies of Go's own source in the temporary directory if empty, and kept there")
)

// ripgreps are those to compare with, the newest last, each with its version.
func ripgreps(t *testing.T) (paths, versions []string) {
	t.Helper()
	for _, path := range append([]string{"rg"}, strings.Split(*benchRg, ",")...) {
		if path == "" {
			continue
		}
		version := versionOf(path)
		if version == "" {
			t.Logf("%s is not there", path)
			continue
		}
		paths, versions = append(paths, path), append(versions, version)
	}
	if len(paths) == 0 {
		t.Skip("there is no ripgrep to compare with")
	}
	return paths, versions
}

// versionOf is a program's name and version, empty if it is not there.
func versionOf(program string) string {
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(string(out), "\n")
	version, _, _ = strings.Cut(version, " (rev")
	return version
}

// trees are the Go source tree, and one of more than 90,000 files.
func trees(t *testing.T) (small, large string) {
	t.Helper()
	small = filepath.Join(goRoot(t), "src")
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

func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
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
		lines += len(f.hits.at)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// rgFlags are what makes ripgrep do the same work.
var rgFlags = []string{"--no-ignore", "--hidden", "-F", "-i"}

// rgSearch has ripgrep search dir with so many threads.
func rgSearch(t *testing.T, rg string, threads int, query, dir string) rival {
	args := append(rgFlags[:len(rgFlags):len(rgFlags)], fmt.Sprintf("-j%d", threads), query, dir)
	return rival{rg, func() used { return program(t, rg, args...) }}
}

// A searchTable compares searches with those of ripgrep: to the end, and as a call makes
// them, which ends with its page.
type searchTable struct {
	paths, versions []string
	toEnd, toPage   *benchTable
}

func newSearchTable(t *testing.T) *searchTable {
	paths, versions := ripgreps(t)
	newest := versions[len(versions)-1]
	return &searchTable{
		paths: paths, versions: versions,
		toEnd: newBenchTable("tree", "query", "lines", versions[0]+" -j1", newest+" -j1", "one worker", "ratios", "wanted", "all workers", "ratios", "wanted",
			fmt.Sprintf("CPU beside -j%d", runtime.GOMAXPROCS(0)), "time beside it"),
		toPage: newBenchTable("tree", "query", "CPU", "ratios", "wanted"),
	}
}

// tree compares searches of a tree, which may take most as much as ripgrep's.
func (s *searchTable) tree(t *testing.T, name, dir string, most float64, queries ...string) {
	threads := runtime.GOMAXPROCS(0)
	ws := openTree(t, dir)
	for _, query := range queries {
		lines := searchAll(t, ws, query, 0)
		sameCount(t, s.paths[len(s.paths)-1], query, dir, lines)
		times, ratios := compare([]rival{
			rgSearch(t, s.paths[0], 1, query, dir),
			rgSearch(t, s.paths[len(s.paths)-1], 1, query, dir),
			rgSearch(t, s.paths[0], threads, query, dir),
			{"one", func() used { return call(t, func() { searchAll(t, ws, query, 1) }) }},
			{"all", func() used { return call(t, func() { searchAll(t, ws, query, 0) }) }},
			{"page", func() used {
				return call(t, func() {
					if _, err := ws.Search(ctx, SearchArgs{Query: query}); err != nil {
						t.Fatal(err)
					}
				})
			}},
		})
		both := func(i, digits int, most float64) (string, string) {
			a, b := ratios(i, 0).cpu, ratios(i, 1).cpu
			return fmt.Sprintf("%.*f, %.*f", digits, a, digits, b), wanted(most, a, b)
		}
		oneRatios, oneWanted := both(3, 2, most)
		allRatios, allWanted := both(4, 2, most)
		cells := []string{name, query, fmt.Sprint(lines), ms(times[0].cpu), ms(times[1].cpu), ms(times[3].cpu), oneRatios, oneWanted,
			ms(times[4].cpu), allRatios, allWanted, fmt.Sprintf("%.2f", ratios(4, 2).cpu), fmt.Sprintf("%.2f", ratios(4, 2).wall)}
		s.toEnd.row(cells...)
		t.Log(strings.Join(cells, " | "))
		t.Logf("score: search %.2f ≤ %.2f of the CPU of %s -j1 to the end of %s: %s", ratios(4, 0).cpu, most, s.versions[0], name, query)
		if lines > searchLimit {
			pageRatios, pageWanted := both(5, 3, 0.3)
			s.toPage.row(name, query, ms(times[5].cpu), pageRatios, pageWanted)
			t.Logf("score: search %.3f ≤ 0.3 of the CPU of %s -j1 to a page of %s: %s", ratios(5, 0).cpu, s.versions[0], name, query)
		}
	}
}

// inGoSource are queries whose lines in Go's source are very many, many, some, and none.
var inGoSource = []string{"the", "mutex", "sync.Mutex", "return err", "zzqxjk"}

// TestSearchBesideRipgrep is the part of TestBenchmarks that takes seconds.
func TestSearchBesideRipgrep(t *testing.T) {
	if !*benchPage {
		t.Skip("-benchmarks measures")
	}
	newSearchTable(t).tree(t, "Go's source", filepath.Join(goRoot(t), "src"), 1, inGoSource...)
}

func searchPart(t *testing.T, page *strings.Builder) {
	table := newSearchTable(t)
	small, large := trees(t)
	table.tree(t, "Go's source", small, 1, inGoSource...)
	table.tree(t, "large", large, 1.15, "the", "mutex", "zzqxjk")
	versions := table.versions
	fmt.Fprintf(page, "\n## Search\n\nBeside `rg %s -j1`, CPU; ratios are to %s and to %s, in this order; what is wanted is wanted of both. "+
		"A search to the end, with one worker and with as many as there are processors:\n\n%s\n", strings.Join(rgFlags, " "), versions[0], versions[len(versions)-1], table.toEnd)
	fmt.Fprintf(page, "A call as a model makes it, which ends with its page of 50 lines:\n\n%s\n", table.toPage)
	fmt.Fprintf(page, "The large tree has %d files. ripgrep takes %s for an empty directory.\n", countFiles(t, large), ms(emptyRun(t, table.paths[0])))
	page.WriteString(searchNote)
	debug.FreeOSMemory()
	peak := peakOf(t, func() { searchAll(t, openTree(t, large), "mutex", 0) })
	fmt.Fprintf(page, "Peak memory of the whole process during a search of it to the end: %.1f MiB (%s).\n", peak, wanted(64, peak))
	t.Logf("peak %.1f MiB", peak)
}

const searchNote = `A search numbers the lines that it finds, keeps them and puts them in path order; ripgrep writes them as they come, without numbers. Most of its time is the system's,
which opens, reads and closes each file once.
`

func emptyRun(t *testing.T, rg string) time.Duration {
	dir, all := t.TempDir(), []time.Duration{}
	for range *benchRuns {
		all = append(all, rgSearch(t, rg, 1, "x", dir).run().cpu)
	}
	return median(all)
}

// sameCount fails if ripgrep counts other lines. It does not count those of files
// that have a NUL behind their first 8 KiB, which are text here.
func sameCount(t *testing.T, rg, query, dir string, lines int) {
	t.Helper()
	count := func(flags ...string) (total int) {
		args := append(append(rgFlags[:len(rgFlags):len(rgFlags)], "-c", "--no-filename"), flags...)
		out, err := exec.Command(rg, append(args, query, dir)...).Output()
		if err != nil && len(out) > 0 {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			n := 0
			if _, err := fmt.Sscan(line, &n); err != nil {
				t.Fatal(err)
			}
			total += n
		}
		return total
	}
	if least, most := count(), count("--text"); lines < least || lines > most {
		t.Errorf("%d lines have %q, ripgrep has %d, with binary files %d", lines, query, least, most)
	}
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

func listPart(t *testing.T, page *strings.Builder) {
	paths, versions := ripgreps(t)
	small, large := trees(t)
	fmt.Fprintf(page, "\n## List\n\nBeside programs that list files, CPU. Ours is in path order, and by the rules of .gitignore; theirs have neither.\n\n")
	newest := len(paths) - 1
	table := newBenchTable("tree", "program", "CPU", "ratio to "+versions[0], "to "+versions[newest], "wanted", "time")
	for _, tree := range []struct{ name, dir string }{{"Go's source", small}, {"large", large}} {
		ws := openTree(t, tree.dir)
		var rivals []rival
		for i, p := range paths {
			rivals = append(rivals, rival{versions[i] + " --files -j1", func() used { return program(t, p, "--files", "--no-ignore", "--hidden", "-j1", tree.dir) }})
		}
		for _, other := range [][]string{{"fdfind", "-u", "-j1", "."}, {"fd", "-u", "-j1", "."}, {"find"}} {
			if version := versionOf(other[0]); version != "" {
				args := append(other[1:len(other):len(other)], tree.dir)
				name := strings.Join(append([]string{version}, other[1:]...), " ")
				rivals = append(rivals, rival{name, func() used { return program(t, other[0], args...) }})
			}
		}
		rivals = append(rivals, rival{"List, all entries", func() used {
			return call(t, func() {
				if l, err := ws.listing(ctx, listKey{".", true}, maxWalk); err != nil || len(l.entries) < 1000 {
					t.Fatal(err)
				}
			})
		}})
		times, ratios := compare(rivals)
		for i, r := range rivals {
			a, b, last := ratios(i, 0).cpu, ratios(i, newest).cpu, ""
			if i == len(rivals)-1 {
				last = wanted(1, a, b)
			}
			table.row(tree.name, r.name, ms(times[i].cpu), fmt.Sprintf("%.2f", a), fmt.Sprintf("%.2f", b), last, ms(times[i].wall))
			t.Log(tree.name, r.name, times[i].cpu, a, b)
		}
	}
	page.WriteString(table.String())
}

// filePart is about single large files.
func filePart(t *testing.T, page *strings.Builder) {
	paths, versions := ripgreps(t)
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(goRoot(t), "src/net/http/server.go"))
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
			rivals = append(rivals, rgSearch(t, p, 1, query, filepath.Join(dir, "large")))
		}
		rivals = append(rivals, rival{"ours", func() used {
			return call(t, func() {
				if _, err := ws.search(ctx, SearchArgs{Query: query, Path: "large"}, time.Hour); err != nil {
					t.Fatal(err)
				}
			})
		}})
		times, ratios := compare(rivals)
		last := len(rivals) - 1
		for i := range paths {
			by := ratios(last, i).cpu
			table.row("search for "+query+" in 1 GiB", ms(times[last].cpu), versions[i], ms(times[i].cpu), fmt.Sprintf("%.2f", by), wanted(1.6, by))
			t.Log(query, times[last].cpu, versions[i], times[i].cpu, by)
		}
	}
	for _, at := range []int{1, 1_000_000} {
		times, ratios := compare([]rival{
			{"hash", func() used { return call(t, func() { hashPlainly(t, filepath.Join(dir, "some")) }) }},
			{"read", func() used {
				return call(t, func() {
					if _, err := ws.Read(context.Background(), ReadArgs{Path: "some", StartLine: at}); err != nil {
						t.Fatal(err)
					}
				})
			}},
		})
		table.row(fmt.Sprintf("read a slice at line %d of 100 MiB", at), ms(times[1].cpu), "hashing it", ms(times[0].cpu), fmt.Sprintf("%.2f", ratios(1, 0).cpu), wanted(1.2, ratios(1, 0).cpu))
		t.Log("read", at, times, ratios(1, 0))
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
