package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHistoryReadsAFileOnce: each page hashed all its files anew.
func TestHistoryReadsAFileOnce(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	for n := range 3 {
		p.create(fmt.Sprintf("d/f%d", n), "content")
	}
	p.create("d/grown", "content")
	p.put("d/grown", "content and more")
	p.undo(p.create("d/gone", "content").ChangeID)
	reads := 0
	p.root = touchedFiles{p.root, func() { reads++ }}
	check := func(wantReads int, current string) {
		t.Helper()
		reads = 0
		h, err := p.History(ctx, HistoryArgs{})
		if err != nil {
			t.Fatal(err)
		}
		var got []any
		for _, e := range h.Changes {
			got = append(got, e.Current)
		}
		if fmt.Sprint(got) != current {
			t.Errorf("current is %v, want %s", got, current)
		}
		if reads != wantReads {
			t.Errorf("%d files were opened, want %d", reads, wantReads)
		}
	}
	// From the newest: the undo of gone, gone, grown, f2, f1, f0.
	check(3, "[true false false true true true]")
	check(3, "[true false false true true true]") // they are too new to be sure
	later := time.Now().Add(settled + time.Second)
	p.hashes.now = func() time.Time { return later }
	check(3, "[true false false true true true]")
	check(0, "[true false false true true true]")

	t.Run("unless its times tell of a change", func(t *testing.T) {
		info, err := os.Stat(p.path("d/f1"))
		if err != nil {
			t.Fatal(err)
		}
		p.put("d/f1", "CONTENT")
		check(1, "[true false false true false true]")
		if err := os.Chtimes(p.path("d/f1"), info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		check(1, "[true false false true false true]")
	})
	t.Run("or another file has its name", func(t *testing.T) {
		info, err := os.Stat(p.path("d/f2"))
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(p.state, "other")
		if err := os.WriteFile(other, []byte("CONTENT"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(other, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(other, p.path("d/f2")); err != nil {
			t.Fatal(err)
		}
		check(1, "[true false false false false true]")
	})
}

// touchedFiles calls touch whenever a file is opened to read.
type touchedFiles struct {
	folder
	touch func()
}

func (f touchedFiles) openDir(name string) (folder, error) {
	d, err := f.folder.openDir(name)
	return touchedFiles{d, f.touch}, err
}

func (f touchedFiles) open(name string) (file, error) {
	f.touch()
	return f.folder.open(name)
}

func TestHashesAreFew(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(at, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	h, later := newHashes(), time.Now().Add(time.Hour)
	for n := range maxHashes + 3 {
		h.put(relPath(fmt.Sprint(n)), info, "hash", later)
		h.put(relPath(fmt.Sprint(n)), info, "hash", later)
	}
	if len(h.kept.kept) != maxHashes || h.get("2", info) != "" || h.get("3", info) != "hash" || h.get(relPath(fmt.Sprint(maxHashes+2)), info) != "hash" {
		t.Errorf("%d are kept", len(h.kept.kept))
	}
	h.put("new", info, "hash", info.ModTime().Add(settled))
	if h.get("new", info) != "" {
		t.Error("a file was written to as it was hashed, for all that its times tell")
	}
}
