package pdfium_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/pdfium"
)

// another makes an engine of its own that loads what the shared one compiled.
func another(t *testing.T, o pdfium.Options) *pdfium.Engine {
	t.Helper()
	if err := engine.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	o.CacheDir = cacheDir
	e, err := pdfium.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestNewRefusesOptionsOutOfBounds(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]pdfium.Options{
		"too little memory":          {MemoryBytes: 1 << 20},
		"too much memory":            {MemoryBytes: 4 << 30},
		"memory that is no MiB":      {MemoryBytes: 256<<20 + 1},
		"less than no sandbox":       {Sandboxes: -1},
		"a negative limit":           {PageTimeout: -time.Second},
		"a negative start":           {StartTimeout: -time.Second},
		"a directory that is a file": {CacheDir: file},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := pdfium.New(&o)
			if err == nil {
				e.Close()
				t.Error("it was taken")
			}
		})
	}
}

func TestTheDirectoryIsClosedToOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are not kept in modes here")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "compiled")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	e, err := pdfium.New(&pdfium.Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("its mode is %v", info.Mode().Perm())
	}
}

func TestABrokenCompiledModuleIsCompiledAnew(t *testing.T) {
	if race {
		t.Skip("the race detector makes a compiler that takes seconds take minutes")
	}
	another(t, pdfium.Options{}) // there is a compiled module now
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(cacheDir)); err != nil {
		t.Fatal(err)
	}
	cut := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		cut++
		return os.Truncate(path, 1<<20)
	})
	if err != nil || cut == 0 {
		t.Fatal(cut, err)
	}
	e, err := pdfium.New(&pdfium.Options{CacheDir: dir, StartTimeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d := open(t, e, write(t, onePage("As if new.")))
	if got := pages(t, d, 1, 1, docs.WantText)[0].Text; got != "As if new.\n" {
		t.Errorf("got %q", got)
	}
}

func TestAFileThatIsNoPDF(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"nothing":                        "",
		"a picture":                      "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 2000),
		"a page of the web":              "<!doctype html><title>Report</title>",
		"a header beyond the first 1024": strings.Repeat("x", 2000) + onePage("hidden"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := engine.Open(context.Background(), write(t, content), docs.OpenOptions{})
			if !errors.Is(err, docs.ErrNotPDF) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAFileThatBreaksOffIsDamaged(t *testing.T) {
	t.Parallel()
	_, err := engine.Open(context.Background(), write(t, "%PDF-1.4\n1 0 obj\n<< /Ty"), docs.OpenOptions{})
	if !errors.Is(err, docs.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestMoreFilesThanSandboxesMayBeOpen(t *testing.T) {
	t.Parallel()
	a := open(t, engine, write(t, onePage("First.")))
	b := open(t, engine, write(t, onePage("Second.")))
	for range 2 {
		if got := pages(t, a, 1, 1, docs.WantText)[0].Text; got != "First.\n" {
			t.Errorf("the first file says %q", got)
		}
		if got := pages(t, b, 1, 1, docs.WantText)[0].Text; got != "Second.\n" {
			t.Errorf("the second file says %q", got)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	e := another(t, pdfium.Options{Sandboxes: 2})
	var all sync.WaitGroup
	for i := range 8 {
		src := write(t, onePage(fmt.Sprint("File ", i)))
		all.Go(func() {
			d, err := e.Open(context.Background(), src, docs.OpenOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			var asking sync.WaitGroup
			for range 3 { // one document, many goroutines
				asking.Go(func() {
					got, err := d.Pages(context.Background(), 1, 1, docs.WantText|docs.WantInk)
					if err != nil || got[0].Text != fmt.Sprintf("File %d\n", i) || got[0].Ink == 0 {
						t.Errorf("file %d: %+v, %v", i, got, err)
					}
				})
			}
			asking.Wait()
		})
	}
	all.Wait()
}

func TestAfterClose(t *testing.T) {
	t.Parallel()
	src := write(t, onePage("Gone."))
	t.Run("a document answers that it is closed", func(t *testing.T) {
		d := open(t, engine, src)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Pages(context.Background(), 1, 1, docs.WantText); !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("closing it again: %v", err)
		}
	})
	t.Run("an engine answers that it is closed, and its documents too", func(t *testing.T) {
		e := another(t, pdfium.Options{})
		d := open(t, e, src)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Info(context.Background()); !errors.Is(err, os.ErrClosed) {
			t.Errorf("its document: %v", err)
		}
		if _, err := e.Open(context.Background(), src, docs.OpenOptions{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a new one: %v", err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("closing its document: %v", err)
		}
	})
	t.Run("closing an engine ends its compiler", func(t *testing.T) {
		e, err := pdfium.New(&pdfium.Options{CacheDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		warm := make(chan error, 1)
		go func() { warm <- e.Warm(context.Background()) }()
		time.Sleep(20 * time.Millisecond) // it has most likely begun; the answer is the same if not
		e.Close()
		if err := <-warm; !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// A compiler on a busy machine takes longer than a call may.
func TestAFileThatComesBeforeTheCompilerIsDone(t *testing.T) {
	t.Parallel()
	e := another(t, pdfium.Options{StartTimeout: 1})
	src := write(t, onePage("Soon."))
	_, err := e.Open(context.Background(), src, docs.OpenOptions{})
	t.Run("is told to try again", func(t *testing.T) {
		var told *arc.Error
		if !errors.As(err, &told) || told.Code != arc.Unavailable || !strings.Contains(told.Message, "try again") {
			t.Errorf("the first file is answered with %v", err)
		}
		if !errors.Is(err, docs.ErrUnavailable) {
			t.Errorf("package docs does not know %v", err)
		}
	})
	t.Run("is read when it is", func(t *testing.T) {
		if err := e.Warm(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := pages(t, open(t, e, src), 1, 1, docs.WantText)[0].Text; got != "Soon.\n" {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("and a caller that gives up is told so", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := another(t, pdfium.Options{}).Open(ctx, src, docs.OpenOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("it is answered with %v", err)
		}
	})
}

func TestAContextThatHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	d := open(t, engine, write(t, onePage("Never mind.")))
	cancel()
	if _, err := d.Pages(ctx, 1, 1, docs.WantText); !errors.Is(err, context.Canceled) {
		t.Errorf("pages: %v", err)
	}
	if _, err := engine.Open(ctx, write(t, onePage("Never.")), docs.OpenOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	if got := pages(t, d, 1, 1, docs.WantText)[0].Text; got != "Never mind.\n" {
		t.Errorf("the next call: %q", got)
	}
}
