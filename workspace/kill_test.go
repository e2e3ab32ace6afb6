package workspace

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var kills = flag.Int("kills", 12, "processes that TestKills kills in the middle of changes")

// TestKills kills processes that change files, at random moments, and looks at what
// they leave: each file is as it was acknowledged last or as it was just about to be,
// nothing else lies about, nothing waits for the host, and the newest change can be
// undone. Of many kills each kind of file system that can be had gets its part.
func TestKills(t *testing.T) {
	places := []killPlace{{"where tests are", t.TempDir()}}
	if *kills >= 100 {
		places = append(places, mountedPlaces(t)...)
	}
	for _, at := range places {
		t.Run(at.name, func(t *testing.T) {
			killRounds(t, at.dir, *kills/len(places))
		})
	}
}

// A killPlace is a folder of a kind of file system.
type killPlace struct{ name, dir string }

func killRounds(t *testing.T, at string, rounds int) {
	c := child{Job: "kill", Dir: filepath.Join(at, "project"), State: filepath.Join(at, "state")}
	for _, d := range []string{c.Dir, c.State} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(uint64(rounds), 2))
	var acknowledged [killFiles + 1]int
	changes, under, recovered := 0, 0, 0
	for round := range rounds {
		c.Seed = r.Uint64()
		cmd, said := c.start(t)
		begun := [killFiles + 1]int{-1, -1, -1, -1, -1}
		listen := func(lines int) {
			for ; lines != 0; lines-- {
				line, err := said.ReadString('\n')
				if err != nil {
					return // a line that was cut off says nothing
				}
				var what string
				var n, version int
				if _, err := fmt.Sscan(line, &what, &n, &version); err != nil {
					t.Fatalf("round %d: the process said %q", round, line)
				}
				if what == "begin" {
					begun[n] = version
				} else {
					acknowledged[n], begun[n] = version, -1
					changes++
				}
			}
		}
		listen(1 + r.IntN(20))
		time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		listen(-1)
		cmd.Wait()
		p := &project{t: t, dir: c.Dir, state: c.State}
		p.open(&Options{KeepChanges: c.keep()})
		s := p.status()
		if s.Blocked {
			t.Fatalf("round %d: %+v", round, s)
		}
		recovered += len(s.Recovered)
		p.noLeftovers()
		for n := range acknowledged {
			got, err := killVersion(c.Dir, n)
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if begun[n] >= 0 {
				under++
			}
			if got != acknowledged[n] && got != begun[n] {
				t.Fatalf("round %d: %s is version %d, and %d was acknowledged, %d begun", round, killFile(n), got, acknowledged[n], begun[n])
			}
			acknowledged[n] = got
		}
		if newest := p.journal.changes; len(newest) > 0 && round%4 == 0 {
			c := newest[len(newest)-1]
			if c.applied() {
				p.undo(p.undo(c.id).ChangeID)
			}
		}
		p.Close()
		p.Workspace = nil
	}
	t.Logf("score: kill %d ≥ 12 kills of processes that change files, %d changes acknowledged, none of them lost, %d under way, %d recovered", rounds, changes, under, recovered)
}
