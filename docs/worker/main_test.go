//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/docs"
	"go.uber.org/goleak"
)

// The test program is its own worker. What the file holds says what goes wrong
// in it.
func TestMain(m *testing.M) {
	role := ""
	if len(os.Args) > 1 {
		role = os.Args[1]
	}
	if role == "silent" {
		time.Sleep(time.Hour)
	}
	Main(func(memory int64) (docs.Engine, error) {
		if role == "none" {
			return nil, docs.Unavailable("no library")
		}
		return actor{}, nil
	})
	if role == "stranger" {
		_, err := New(context.Background(), &Options{Reexec: true})
		fmt.Printf("its own main runs: %v", errors.Is(err, docs.ErrUnavailable))
		return
	}
	if role == "host" {
		host(os.Args[2])
		return
	}
	goleak.VerifyTestMain(m)
}

// host is a program that waits for a worker, which makes dir.
func host(dir string) {
	e, err := New(context.Background(), &Options{Reexec: true, PageTimeout: time.Hour})
	if err != nil {
		panic(err)
	}
	f, err := os.CreateTemp("", "arc-docs-test-")
	if err != nil {
		panic(err)
	}
	os.Remove(f.Name())
	n, err := f.WriteString("\nwait in " + dir)
	if err != nil {
		panic(err)
	}
	d, err := e.Open(context.Background(), docs.Source{File: f, Size: int64(n)}, docs.OpenOptions{})
	if err != nil {
		panic(err)
	}
	_, _ = d.Pages(context.Background(), 1, 1, docs.WantText)
}

// actor is an engine whose files are plays: the first line is for the opening,
// each other one is a page. See act for what a line may say; any other line is
// the page's text.
type actor struct{}

func (actor) Name() string { return "actor-1" }

func (actor) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	b, err := io.ReadAll(io.NewSectionReader(src.File, 0, src.Size))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(b), "\n")
	if lines[0] == "password" && o.Password != "sesame" {
		return nil, docs.ErrEncrypted
	}
	if _, err := act(ctx, lines[0]); err != nil {
		return nil, err
	}
	return play(lines), nil
}

type play []string

func (p play) Info(ctx context.Context) (docs.Info, error) {
	if p[0] == "info crash" {
		os.Exit(1)
	}
	return docs.Info{Pages: len(p) - 1, LastLoads: p[0] != "last unknown", Format: "play", Metadata: docs.Metadata{Title: strings.Repeat("t", 100_000)}}, nil
}

func (p play) Pages(ctx context.Context, first, last int, want docs.Want) (pages []docs.Page, err error) {
	for n := first; n <= last; n++ {
		line := ""
		if n < len(p) {
			line = p[n]
		}
		if ink, ok := strings.CutPrefix(line, "ink "); ok {
			line = "drawn"
			if want&docs.WantInk != 0 {
				line = ink
			}
		}
		if line == "label crash" && want&docs.WantLabel != 0 {
			os.Exit(1)
		}
		measured := want&docs.WantInk != 0
		if line == "gives up" {
			<-ctx.Done()
			measured = false
		}
		text, err := act(ctx, line)
		pages = append(pages, docs.Page{Number: n, Text: text, Err: err, Ink: 0.5, HasInk: measured})
	}
	return pages, nil
}

func (p play) Close() error { return nil }

// ballast is what a play has taken.
var ballast [][]byte

// lies go past the server. It stays open: a file that is collected is closed.
var lies = sync.OnceValue(func() *os.File { return os.NewFile(fdOut, "replies") })

// act does what a line says.
func act(ctx context.Context, line string) (text string, err error) {
	// A worker writes no files, but it can make a directory, and the next one can
	// see that it was made.
	if dir, ok := strings.CutPrefix(line, "crash once "); ok {
		if os.Mkdir(dir, 0o700) == nil {
			os.Exit(1)
		}
		return "survived", nil
	}
	if dir, ok := strings.CutPrefix(line, "wait in "); ok {
		if os.Mkdir(dir, 0o700) == nil && os.Mkdir(dir+"/"+strconv.Itoa(os.Getpid()), 0o700) == nil {
			time.Sleep(time.Hour)
		}
		return "awake", nil
	}
	switch line {
	case "crash":
		os.Exit(1)
	case "abort":
		panic("as a library that aborts")
	case "hang":
		for { // as in C: it heeds no context
			time.Sleep(time.Hour)
		}
	case "slow":
		<-ctx.Done()
		return "", ctx.Err()
	case "memory":
		for {
			b := make([]byte, 16<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			ballast = append(ballast, b)
		}
	case "refused":
		return "", docs.ErrMemory
	case "cannot":
		return "", docs.ErrPage
	case "noise":
		for range 1000 {
			os.Stderr.WriteString(strings.Repeat("no fonts. ", 100) + "\n")
		}
		return "heard", nil
	case "bytes":
		return "\x00\xff\xed\xa0\x80é", nil
	case "large":
		return strings.Repeat("x", 5<<20), nil
	case "too large":
		return strings.Repeat("x", 17<<20), nil
	case "garbage":
		lies().WriteString(strings.Repeat("garbage", 100))
	case "endless":
		lies().Write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 4})
	case "wrong page":
		writeFrame(lies(), map[string]any{"page": page{Number: 77}}, "another page")
	case "odd ink":
		writeFrame(lies(), map[string]any{"page": map[string]any{"number": 1, "ink": 7}}, "")
	case "odd error":
		writeFrame(lies(), map[string]any{"page": map[string]any{"number": 1, "error": "text of the file"}}, "")
	case "write":
		if err := os.WriteFile("file", []byte("x"), 0o600); err == nil {
			return "written", nil
		}
		return "not written", nil
	case "environment":
		return strings.Join(os.Environ(), " "), nil
	case "directory":
		d, err := os.Getwd()
		if err != nil {
			return "none", nil
		}
		return d, nil
	}
	return line, nil
}

// explainNoise is the tests' Options.Explain.
func explainNoise(line string) string {
	if strings.HasPrefix(line, "no fonts") {
		return "fonts_missing"
	}
	return ""
}

// source is a file of a play's lines.
func source(t testing.TB, lines ...string) docs.Source {
	t.Helper()
	content := []byte(strings.Join(lines, "\n"))
	path := t.TempDir() + "/file"
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return docs.Source{File: f, Size: int64(len(content)), SHA256: strings.Join(lines, "|")}
}

func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	if len(o.Command) == 0 {
		o.Reexec = true
	}
	o.Explain = explainNoise
	e, err := New(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func open(t testing.TB, e *Engine, lines ...string) docs.Document {
	t.Helper()
	d, err := e.Open(t.Context(), source(t, lines...), docs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// said renders pages: their texts, or their errors.
func said(pages []docs.Page) string {
	var all []string
	for _, p := range pages {
		switch {
		case p.Err == nil:
			all = append(all, p.Text)
		case errors.Is(p.Err, docs.ErrCrashed):
			all = append(all, "CRASHED")
		case errors.Is(p.Err, docs.ErrTimeout):
			all = append(all, "TIMEOUT")
		case errors.Is(p.Err, docs.ErrMemory):
			all = append(all, "MEMORY")
		case errors.Is(p.Err, docs.ErrPage):
			all = append(all, "PAGE")
		default:
			all = append(all, p.Err.Error())
		}
	}
	return strings.Join(all, " ")
}

// pids are the workers that say that they wait in dir.
func pids(dir string) (all []int) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}
