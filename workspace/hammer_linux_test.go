package workspace

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arcseat/arc"
	"golang.org/x/sys/unix"
)

var hammerRounds = flag.Int("hammer", 200, "changes that TestASaverHammersTheFile tries")

// A hammer saves one file again and again, and knows of each version that it saved.
type hammer struct {
	dir, path string
	versions  map[string]bool // that it saved; true: it knows what became of it
	late      int             // saves into a file that had lost its name
}

// saveByExchange saves as a careful editor does, and sees what it displaced.
func (h *hammer) saveByExchange(version string) error {
	tmp := filepath.Join(h.dir, "save")
	if err := os.WriteFile(tmp, []byte(version), 0o644); err != nil {
		return err
	}
	if err := unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, h.path, unix.RENAME_EXCHANGE); err != nil {
		return err
	}
	h.versions[version] = false
	b, err := os.ReadFile(tmp)
	if _, mine := h.versions[string(b)]; mine {
		h.versions[string(b)] = true
	}
	return err
}

// saveInPlace writes over the file, as many editors do. It reads what it writes over,
// and looks whether the file still has a name when it is done.
func (h *hammer) saveInPlace(version string) error {
	f, err := os.OpenFile(h.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	old := make([]byte, 100)
	n, _ := f.Read(old)
	if _, err := f.WriteAt([]byte(version), 0); err != nil {
		return err
	}
	h.versions[version] = false
	if _, mine := h.versions[string(old[:n])]; mine {
		h.versions[string(old[:n])] = true
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	if st.Nlink == 0 {
		h.late++
	}
	return nil
}

// hammerOn changes the file as often as it is told while save hammers on it, and
// returns the versions of which nobody knows what became of them.
func hammerOn(t *testing.T, p *project, save func(h *hammer, version string) error) (h *hammer, unseen []string, won int) {
	h = &hammer{dir: p.state, path: p.path("f"), versions: map[string]bool{}}
	var stop atomic.Bool
	done := make(chan error)
	go func() {
		var err error
		for i := 0; !stop.Load() && err == nil; i++ {
			err = save(h, fmt.Sprintf("theirs %08d", i)) // all of one length
			if i%64 == 0 {
				var none unix.Timespec
				none.Nsec = 200_000 // or they would win each race
				unix.Nanosleep(&none, nil)
			}
		}
		done <- err
	}()
	for i := range *hammerRounds {
		b, err := os.ReadFile(p.path("f"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Write(ctx, by, WriteArgs{Path: "f", Content: fmt.Sprintf("ours   %08d", i), ExpectedSHA256: string(hashOf(b))})
		switch {
		case err == nil:
			won++
		case errors.Is(err, arc.IOError) && strings.Contains(err.Error(), "again and again"): // it was never still to be looked at
		case !errors.Is(err, arc.Stale):
			t.Fatal(err)
		}
	}
	stop.Store(true)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	known := map[SHA256]bool{hashOf([]byte(p.get("f"))): true}
	for _, c := range p.journal.changes {
		if c.end == typeCommit {
			known[c.beforeHash()] = true
		}
		if c.kept != "" {
			b, err := os.ReadFile(filepath.Join(p.state, "journal", keptFolder, c.kept))
			if err != nil {
				t.Fatal(err)
			}
			known[hashOf(b)] = true
		}
	}
	for v, seen := range h.versions {
		if !seen && !known[hashOf([]byte(v))] {
			unseen = append(unseen, v)
		}
	}
	p.noLeftovers()
	return h, unseen, won
}

// TestASaverHammersTheFile races a program that saves the same file all the time: of
// each version that it saved somebody knows, the program that it displaced it itself,
// the journal that a change was based on it or kept it aside, or it is there.
func TestASaverHammersTheFile(t *testing.T) {
	t.Run("by exchanging files", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "theirs        0"})
		h, unseen, won := hammerOn(t, p, (*hammer).saveByExchange)
		if len(unseen) > 0 {
			t.Errorf("displaced unseen: %q", unseen)
		}
		t.Logf("%d changes won and %d lost against %d saves, of which 0 were displaced unseen", won, *hammerRounds-won, len(h.versions))
	})
	t.Run("in place", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "theirs        0"})
		h, unseen, won := hammerOn(t, p, (*hammer).saveInPlace)
		// Whoever writes after the end of a change writes to a file without a name, and
		// can tell.
		if len(unseen) > h.late {
			t.Errorf("displaced unseen: %q, and %d saves were late", unseen, h.late)
		}
		t.Logf("%d changes won and %d lost against %d saves; %d went into a file without a name, of which %d are not kept", won, *hammerRounds-won, len(h.versions), h.late, len(unseen))
	})
	t.Run("where two names cannot be exchanged, the result says so", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "theirs        0"})
		p.root = noExchangeFolder{p.root}
		h, unseen, won := hammerOn(t, p, (*hammer).saveByExchange)
		r, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "ours", ExpectedSHA256: p.hash("f")})
		if err != nil || r.Swap != "rename" {
			t.Errorf("swap is %q, %v", r.Swap, err)
		}
		t.Logf("%d changes won against %d saves; %d saves fell into the moment before the rename", won, len(h.versions), len(unseen))
	})
}

// A noExchangeFolder is on a file system that cannot exchange two names.
type noExchangeFolder struct{ folder }

func (d noExchangeFolder) exchange(a, b string) error { return errNoExchange }

func (d noExchangeFolder) openDir(name string) (folder, error) {
	sub, err := d.folder.openDir(name)
	return noExchangeFolder{sub}, err
}
