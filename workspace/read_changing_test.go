package workspace

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
)

func TestReadNeverWaitsOnWhatIsNoFile(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"f": ""})
	kinds := special(t, p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name, kind := range kinds {
			_, err := p.Read(ctx, ReadArgs{Path: name})
			if d := detail(t, wantCode(t, err, arc.NotRegularFile)); d["kind"] != kind {
				t.Errorf("kind of %s is %v, want %s", name, d["kind"], kind)
			}
			if _, err := p.Search(ctx, SearchArgs{Query: "x", Path: name}); err == nil {
				t.Errorf("%s was searched", name)
			}
		}
		if r, err := p.Search(ctx, SearchArgs{Query: "x"}); err != nil || r.Searched != 1 {
			t.Errorf("search of the directory: %+v, %v", r, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits")
	}
}

func TestAFileThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	t.Run("is read once more, and the hash is that of what is shown", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "old\n"})
		p.root = meddler{folder: p.root, file: "f", afterOpen: func() { p.put("f", "new and longer\n") }}
		r := p.read(ReadArgs{Path: "f"})
		if r.Text != "new and longer\n" || r.SHA256 != hashOf([]byte(r.Text)) || len(r.Notes) != 0 {
			t.Errorf("read %+v %q", r, r.Text)
		}
	})
	t.Run("again and again is unstable", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "old\n"})
		n := 0 // each read finds more than it can read
		p.root = meddler{folder: p.root, file: "f", whenRead: func() { n++; p.put("f", strings.Repeat("more\n", 100_000*n)) }}
		if r := p.read(ReadArgs{Path: "f"}); fmt.Sprint(r.Notes) != "[unstable]" {
			t.Errorf("notes are %v", r.Notes)
		}
	})
	t.Run("replaced between the look and the open is looked at again", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "old\n", "g": "other\n"})
		once := false
		p.root = meddler{folder: p.root, file: "f", beforeOpen: func() {
			if !once {
				once = true
				if err := os.Rename(p.path("g"), p.path("f")); err != nil {
					t.Error(err)
				}
			}
		}}
		if r := p.read(ReadArgs{Path: "f"}); r.Text != "other\n" || r.SHA256 != hashOf([]byte("other\n")) {
			t.Errorf("read %q", r.Text)
		}
	})
	t.Run("replaced by a link to another file is refused", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege here")
		}
		p := newProject(t, map[string]string{"f": "old\n", "g": "other\n"})
		p.root = meddler{folder: p.root, file: "f", beforeOpen: func() {
			os.Remove(p.path("f"))
			os.Symlink("g", p.path("f"))
		}}
		_, err := p.Read(ctx, ReadArgs{Path: "f"})
		wantCode(t, err, arc.NotRegularFile)
	})
}

// A meddler is a folder where somebody else works too: just before and after a
// file is opened, and behind each of its reads.
type meddler struct {
	folder
	file                            string
	beforeOpen, afterOpen, whenRead func()
}

func (m meddler) open(name string) (file, error) {
	if name != m.file {
		return m.folder.open(name)
	}
	if m.beforeOpen != nil {
		m.beforeOpen()
	}
	f, err := m.folder.open(name)
	if err == nil && m.afterOpen != nil {
		m.afterOpen()
	}
	if err == nil && m.whenRead != nil {
		f = &meddledFile{f, m.whenRead}
	}
	return f, err
}

type meddledFile struct {
	file
	do func()
}

func (f *meddledFile) Read(b []byte) (int, error) {
	n, err := f.file.Read(b)
	f.do()
	return n, err
}
