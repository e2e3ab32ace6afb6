package workspace

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	benchPage = flag.Bool("benchmarks", false, "measure beside other programs; TestBenchmarks writes benchmarks.md anew")
	benchRuns = flag.Int("rounds", 9, "rounds of each comparison")
)

// TestBenchmarks writes benchmarks.md, if it is told to.
func TestBenchmarks(t *testing.T) {
	if !*benchPage {
		t.Skip("-benchmarks measures, for some minutes")
	}
	if len(pageParts) == 0 {
		t.Skip("nothing can be measured on this system")
	}
	var page strings.Builder
	page.WriteString(pageHead)
	fmt.Fprintf(&page, "Measured on %s: %s, %d processors for this process, %s %s, Go %s, medians of %d rounds.\n",
		time.Now().UTC().Format(time.DateOnly), cpuName(), runtime.GOMAXPROCS(0), runtime.GOOS, kernel(), strings.TrimPrefix(runtime.Version(), "go"), *benchRuns)
	for _, part := range pageParts {
		part(t, &page)
	}
	if t.Failed() {
		return
	}
	if err := os.WriteFile("benchmarks.md", []byte(page.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

const pageHead = `# What the workspace costs

Run anew, this page is written anew:

` + "```sh" + `
go test ./workspace -count=1 -timeout 60m -run TestBenchmarks -benchmarks     # -rg PATH adds another ripgrep, -rounds N makes it finer
` + "```" + `

Programs that are compared take turns, round by round, with everything in the page cache, and a ratio is the median of the rounds' ratios: what else the machine
does hits both sides alike. CPU is user and system time together; a program's includes its start and end, a call's does not. The large tree is eight copies of Go's source,
1 GB, which stay in the temporary directory for the next time.

`

func cpuName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	b, err := exec.Command("uname", "-r").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func median[T int | float64 | time.Duration](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// A benchTable is one table of the page.
type benchTable struct{ strings.Builder }

func newBenchTable(columns ...string) *benchTable {
	var b benchTable
	b.row(columns...)
	b.row(slices.Repeat([]string{"---"}, len(columns))...)
	return &b
}

func (b *benchTable) row(cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// wanted says in a table whether each of some ratios is what is wanted.
func wanted(most float64, ratios ...float64) string {
	words := []string{}
	for _, r := range ratios {
		if r > most {
			words = append(words, "**missed**")
		} else {
			words = append(words, "met")
		}
	}
	return fmt.Sprintf("≤ %.4g: %s", most, strings.Join(slices.Compact(words), ", "))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }
