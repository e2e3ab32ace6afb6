package workspace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// writePart measures what a change and a long journal cost.
func writePart(t *testing.T, page *strings.Builder) {
	const changes, editsARound = 10_000, 40
	fmt.Fprintf(page, `
## Changes

A bare write is a temporary file, its sync, a rename over the old one, and a sync of the directory; the two take turns, edit by edit, and are timed by the clock, since
most of it is the disk's. Of opening a journal this is the CPU, and the shortest time by the clock.

`)
	table := newBenchTable("what", "ours", "beside", "of it", "ratio", "wanted")
	edits, bares := editBesideBare(t, editsARound**benchRuns)
	by := medianRatio(edits, bares)
	table.row("a durable edit of a file of 100 KB", ms(median(edits)), "a bare write of it", ms(median(bares)), fmt.Sprintf("%.2f", by), wanted(3, by))
	dir, o := journalOf(t, changes)
	var cpu, took []time.Duration
	for range *benchRuns {
		u := call(t, func() {
			ws, err := Open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			ws.Close()
		})
		cpu, took = append(cpu, u.cpu), append(took, u.wall)
	}
	_, held := openCost(t, dir, o)
	open, mib := median(cpu), float64(held)/(1<<20)
	what := fmt.Sprintf("opening a journal of %d changes", changes)
	table.row(what, ms(open), "time", ms(slices.Min(took)), "", strings.Replace(wanted(200, float64(open)/1e6), "200", "200 ms", 1))
	table.row("what it holds in memory", fmt.Sprintf("%.1f MiB", mib), "", "", "", strings.Replace(wanted(64, mib), "64", "64 MiB", 1))
	t.Log(by, median(edits), median(bares), cpu, took, mib)
	page.WriteString(table.String())
}
