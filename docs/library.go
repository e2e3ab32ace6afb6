package docs

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/defaults"
)

// Files opens the files of a project. A workspace is one.
type Files interface {
	// OpenFile opens the file at a path relative to the project, to be read. It
	// returns soon, also for a pipe, and opens nothing outside of the project. Errors
	// that are *arc.Error are shown to the model as they are.
	OpenFile(ctx context.Context, path string) (*os.File, error)
}

// Options of New. Nil is fine.
type Options struct {
	// MaxSize is the largest file that is read, in bytes. Default: 200 MiB.
	MaxSize int64
	// MaxCharacters is how many characters a Read shows. Default: 24,000. A result
	// also stops before 64 KiB, whatever is set here.
	MaxCharacters int
	// MaxText is the most that Text returns, in bytes. Default: 4 MiB.
	MaxText int
	// CacheBytes bounds the texts of pages that are kept in memory, with their folded
	// forms; the ones used longest ago go first. Default: 64 MiB.
	CacheBytes int64
	// KeepOpen is how many documents stay open at the engine, each with its private
	// copy on disk, though no call uses them. Default: 2.
	KeepOpen int
	// KeepFor is for how long they do. Default: 2 minutes.
	KeepFor time.Duration
	// InspectTimeout, ReadTimeout and SearchTimeout bound a call; Text takes SearchTimeout.
	// Defaults: 15, 20 and 30 seconds.
	InspectTimeout, ReadTimeout, SearchTimeout time.Duration
	// TempDir is where private copies are made; they have no name there while they
	// are in use, where the system allows it. Default: os.TempDir.
	TempDir string
	// Password is asked for the user password of a file that needs one; path is as
	// the model named it, or empty for Text. An empty answer means that there is none.
	// What it opens is then read by every seat. Nil: such files are encrypted.
	Password func(ctx context.Context, path string) (string, error)
	// Logger gets what goes wrong behind a result. Default: discarded.
	Logger *slog.Logger
}

func (o *Options) fill() {
	defaults.Positive(&o.MaxSize, 200<<20)
	defaults.Positive(&o.MaxCharacters, 24_000)
	defaults.Positive(&o.MaxText, 4<<20)
	defaults.Positive(&o.CacheBytes, 64<<20)
	defaults.Positive(&o.KeepOpen, 2)
	defaults.Positive(&o.KeepFor, 2*time.Minute)
	defaults.Positive(&o.InspectTimeout, 15*time.Second)
	defaults.Positive(&o.ReadTimeout, 20*time.Second)
	defaults.Positive(&o.SearchTimeout, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// A Library reads the PDF files of one project. It is safe for concurrent use.
type Library struct {
	files  Files
	engine Engine
	opts   Options
	log    *slog.Logger
	tools  []arc.Tool // made once: a session asks for them at every turn

	known *hashes
	shelf *shelf
	cache *cache
	seen  *versions

	mu      sync.Mutex
	closed  bool
	calls   sync.WaitGroup
	closing chan struct{}
}

// New makes a library of the files that an engine can read. Without files (nil)
// only [Library.Text] works; without an engine (nil) every call answers unavailable,
// and [Missing] is an engine that says why.
func New(files Files, engine Engine, o *Options) *Library {
	l := &Library{files: files, engine: engine, known: newHashes(), seen: newVersions(), closing: make(chan struct{})}
	if o != nil {
		l.opts = *o
	}
	l.opts.fill()
	l.log = l.opts.Logger
	l.shelf = newShelf(l.opts.KeepOpen, l.opts.KeepFor, l.log)
	l.cache = newCache(l.opts.CacheBytes)
	l.tools = l.makeTools()
	return l
}

// Close ends the calls that are under way, waits for them, and closes what is open.
// Later calls are refused (shutting_down). The engine stays open.
func (l *Library) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.closing)
	}
	l.mu.Unlock()
	l.calls.Wait()
	return l.shelf.close()
}

// begin starts a call that may take as long as limit. The caller ends it.
func (l *Library) begin(ctx context.Context, limit time.Duration) (context.Context, func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if l.engine == nil {
		return nil, nil, fault(Unavailable("the host was set up without an engine"), "")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, &arc.Error{Code: arc.ShuttingDown, Message: "the host is closing; nothing more can be read."}
	}
	l.calls.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, limit, errSpent)
	done := make(chan struct{})
	l.calls.Add(1)
	go func() {
		defer l.calls.Done()
		select {
		case <-l.closing:
			cancel(errClosing)
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		stop()
		cancel(nil)
		l.calls.Done()
	}, nil
}

// Tools are workspace_document_inspect, _read and _search. They belong to a room
// with a project.
func (l *Library) Tools() []arc.Tool { return slices.Clone(l.tools) }
