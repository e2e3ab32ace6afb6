package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func (p *project) segment(n int) string { return filepath.Join(p.state, "journal", segmentName(n)) }

func (p *project) status() *RecoveryResult {
	p.t.Helper()
	r, err := p.RecoveryStatus(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// busy makes a journal with changes of every kind.
func (p *project) busy() {
	p.put("f", "one\ntwo\n")
	p.put("big", large(1))
	p.edit("f", "one", "1")
	p.undo(p.create("new", "x").ChangeID)
	p.undo(p.edit("f", "two", "2").ChangeID)
	_, err := p.Write(ctx, by, WriteArgs{Path: "big", Content: "small", ExpectedSHA256: p.hash("big")})
	if err != nil {
		p.t.Fatal(err)
	}
	p.edit("f", "1", "eins")
}

func TestADamagedJournalBlocksAndIsReported(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, p *project)
	}{
		{"a byte flipped in the middle", func(t *testing.T, p *project) {
			p.rewrite(p.segment(1), func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		}},
		{"a line removed", lines(func(l []string) []string { return slices.Delete(l, 3, 4) })},
		{"a line doubled", lines(func(l []string) []string { return slices.Insert(l, 3, l[3]) })},
		{"lines swapped", lines(func(l []string) []string { l[3], l[4] = l[4], l[3]; return l })},
		{"the end cut off", lines(func(l []string) []string { return l[:len(l)-2] })},
		{"the header removed", lines(func(l []string) []string { return l[1:] })},
		{"the first segment removed", func(t *testing.T, p *project) { os.Remove(p.segment(1)) }},
		{"HEAD removed", func(t *testing.T, p *project) { os.Remove(filepath.Join(p.state, "journal", "HEAD")) }},
		{"a blob removed", func(t *testing.T, p *project) { os.RemoveAll(filepath.Join(p.state, "journal", "blobs")) }},
		{"HEAD replaced by a directory", replaced("HEAD")},
		{"a segment replaced by a directory", replaced("seg-000001.jsonl")},
		{"the blobs replaced by a file", func(t *testing.T, p *project) {
			blobs := filepath.Join(p.state, "journal", "blobs")
			os.RemoveAll(blobs)
			os.WriteFile(blobs, nil, 0o600)
		}},
		{"another project's journal", func(t *testing.T, p *project) {
			q := newProject(t, nil)
			q.busy()
			b, _ := os.ReadFile(q.segment(1))
			p.rewrite(p.segment(1), func([]byte) []byte { return b })
			h, _ := os.ReadFile(filepath.Join(q.state, "journal", "HEAD"))
			p.rewrite(filepath.Join(p.state, "journal", "HEAD"), func([]byte) []byte { return h })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t, nil)
			p.busy()
			p.Close()
			c.damage(t, p)
			p.open(nil)
			r := p.status()
			if !r.Blocked || len(r.Tampered) == 0 || r.Journal.Chain != "broken" {
				t.Fatalf("status is %+v", r)
			}
			_, err := p.Write(ctx, by, WriteArgs{Path: "g", Content: "x"})
			wantCode(t, err, RecoveryBlocked)
			if _, err := p.History(ctx, HistoryArgs{}); err != nil {
				t.Errorf("history: %v", err)
			}
			_, err = p.Touched(ctx, by.Seat, []arc.TurnID{by.Turn})
			wantCode(t, err, RecoveryBlocked)
			if err := p.AcceptJournal(ctx, "tried in a test"); err != nil {
				t.Fatal(err)
			}
			if r := p.status(); r.Blocked {
				t.Fatalf("after accepting: %+v", r)
			}
			id := p.create("g", "x").ChangeID
			p.open(nil)
			if r := p.status(); r.Blocked {
				t.Fatalf("opened again: %+v", r)
			}
			p.undo(id)
		})
	}
}

func (p *project) rewrite(path string, do func([]byte) []byte) {
	p.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, do(bytes.Clone(b)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// replaced puts a directory in the place of a file of the journal.
func replaced(name string) func(*testing.T, *project) {
	return func(t *testing.T, p *project) {
		path := filepath.Join(p.state, "journal", name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func lines(do func([]string) []string) func(*testing.T, *project) {
	return func(t *testing.T, p *project) {
		p.rewrite(p.segment(1), func(b []byte) []byte {
			l := strings.SplitAfter(string(b), "\n")
			return []byte(strings.Join(do(l[:len(l)-1]), ""))
		})
	}
}

// TestARecordThatIsTooLong: a path of many directories makes a record that nobody
// would read back, and one that somebody put there is damage like any other.
func TestARecordThatIsTooLong(t *testing.T) {
	t.Run("is not written", func(t *testing.T) {
		p := newProject(t, nil)
		_, err := p.Write(ctx, by, WriteArgs{Path: strings.Repeat("a/", 1200) + "f", Content: "x"})
		wantCode(t, err, arc.InvalidPath)
		if p.exists("a") {
			t.Error("directories were made")
		}
		p.create("f", "x")
		p.open(nil)
		if r := p.status(); r.Status != "clean" || r.Journal.Changes != 1 {
			t.Errorf("opened again: %+v", r)
		}
	})
	t.Run("blocks changes and not the opening", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "x"})
		p.Close()
		p.rewrite(p.segment(1), func(b []byte) []byte { return append(b, strings.Repeat("x", 2*maxLine)+"\n"...) })
		p.open(nil)
		if r := p.status(); !r.Blocked || len(r.Tampered) != 1 {
			t.Errorf("status is %+v", r)
		}
	})
}

func TestALostHeadCostsNoChanges(t *testing.T) {
	p := newProject(t, map[string]string{"f": "0"})
	p.open(&Options{KeepChanges: 40}) // so that there are several segments
	for n := range 30 {
		p.edit("f", fmt.Sprint(n), fmt.Sprint(n+1))
	}
	p.Close()
	if err := os.Remove(filepath.Join(p.state, "journal", "HEAD")); err != nil {
		t.Fatal(err)
	}
	p.open(nil)
	if !p.status().Blocked {
		t.Error("nothing blocks")
	}
	if err := p.AcceptJournal(ctx, "test"); err != nil {
		t.Fatal(err)
	}
	if r := p.status(); r.Blocked || r.Journal.Changes != 30 {
		t.Errorf("status is %+v", r)
	}
}

// FuzzAnyJournalOpens: whatever the bytes, the workspace opens, says how it
// stands, and either blocks changes or makes them.
func FuzzAnyJournalOpens(f *testing.F) {
	seed := newProject(f, nil)
	seed.busy()
	seed.Close()
	whole, err := os.ReadFile(seed.segment(1))
	if err != nil {
		f.Fatal(err)
	}
	head, err := os.ReadFile(filepath.Join(seed.state, "journal", "HEAD"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, head)
	f.Add(whole[:len(whole)-10], head)
	f.Add([]byte("{}\n"), []byte{})
	f.Fuzz(func(t *testing.T, segment, head []byte) {
		p := &project{t: t, dir: seed.dir, state: t.TempDir()}
		if err := os.Mkdir(filepath.Join(p.state, "journal"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{p.segment(1): segment, filepath.Join(p.state, "journal", "HEAD"): head} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.open(&Options{Durability: Process})
		name := fmt.Sprintf("fuzzed%d", os.Getpid()) // fuzzing has several processes
		defer os.Remove(p.path(name))
		_, err := p.Write(ctx, by, WriteArgs{Path: name, Content: "x"})
		if r := p.status(); r.Blocked != (err != nil) {
			t.Fatalf("blocked is %v, a change says %v", r.Blocked, err)
		}
	})
}
