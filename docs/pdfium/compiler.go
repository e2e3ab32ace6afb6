package pdfium

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	pdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/internal/statedir"
)

// A compiler turns the module into machine code once, and makes pools of it.
type compiler struct {
	cache wazero.CompilationCache // shared by all pools; on disk where there is a directory
	dir   string                  // empty: in memory alone

	start sync.Once
	done  chan struct{} // closed when first and err are set
	first *pool         // the first pool, which paid for the compiling; its taker sets nil
	err   error
	mu    sync.Mutex // guards first
	began bool       // start has run
}

// prepare finds or makes the cache directory. One that the host did not name may
// be missing, one that it named may not.
func (c *compiler) prepare(dir string, log *slog.Logger) error {
	c.done = make(chan struct{})
	named := dir != ""
	var err error
	if !named {
		if dir, err = os.UserCacheDir(); err == nil {
			dir = filepath.Join(dir, "arc", "pdfium")
		}
	}
	if err == nil {
		err = statedir.Make(dir)
	}
	if err == nil {
		c.cache, err = wazero.NewCompilationCacheWithDir(dir)
	}
	switch {
	case err == nil:
		c.dir = dir
	case named:
		return err
	default:
		log.Warn("pdfium: no directory for the compiled module; each run compiles anew", "err", err)
		c.cache = wazero.NewCompilationCache()
	}
	return nil
}

// wait returns when the module is compiled. The first call starts that.
func (c *compiler) wait(ctx context.Context, e *Engine) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	c.start.Do(func() {
		c.mu.Lock()
		c.began = true
		c.mu.Unlock()
		go c.compile(e)
	})
	select {
	case <-ctx.Done():
		return ended(ctx)
	case <-c.done:
		return c.err
	}
}

func (c *compiler) compile(e *Engine) {
	defer close(c.done)
	first, err := c.pool(e)
	if err != nil && e.life.Err() == nil && c.dir != "" {
		// What an interrupted or a broken disk left behind must not end all use.
		e.log.Warn("pdfium: the compiled module that was kept is of no use; compiling in memory", "err", err)
		c.cache.Close(context.Background())
		c.cache = wazero.NewCompilationCache()
		first, err = c.pool(e)
	}
	switch {
	case err == nil:
		// A compiler leaves 300 MB behind, and a file may need its 256 at once.
		debug.FreeOSMemory()
	case e.life.Err() != nil:
		err = os.ErrClosed
	default:
		e.log.Error("pdfium: the module does not compile", "err", err)
		err = docs.Unavailable("PDFium's WebAssembly module does not compile on this machine")
	}
	c.mu.Lock()
	c.first, c.err = first, err
	c.mu.Unlock()
}

// close waits for a compiler at work, which looks at the engine's life before
// each function.
func (c *compiler) close() {
	c.mu.Lock()
	began := c.began
	c.mu.Unlock()
	if began {
		<-c.done
	}
	if c.first != nil {
		c.first.close()
	}
	c.cache.Close(context.Background())
}

// A pool is a runtime with the module in it. All that runs in it ends when its
// context does, and then the pool is of no use any more.
type pool struct {
	pdfium.Pool
	cancel context.CancelFunc

	mu  sync.Mutex
	mem *memory // of the sandbox made last
}

// pool makes one: from memory in about 60 ms, from disk in about 90 ms, else in
// seconds.
func (c *compiler) pool(e *Engine) (*pool, error) {
	c.mu.Lock()
	p := c.first
	c.first = nil
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p = &pool{}
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(e.life)
	// More than one worker is not for speed alone: they look at the context
	// before each function, a single one never does.
	ctx = experimental.WithCompilationWorkers(ctx, max(2, runtime.GOMAXPROCS(0)))
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory {
		m := newMemory(uint64(e.o.MemoryBytes))
		p.mu.Lock()
		p.mem = m
		p.mu.Unlock()
		return m
	}))
	var err error
	p.Pool, err = webassembly.Init(webassembly.Config{
		Context:  ctx,
		MaxTotal: 1,
		FSConfig: wazero.NewFSConfig(), // nil would mount the host's root
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithCompilationCache(c.cache).
			WithCloseOnContextDone(true),
	})
	if err == nil && ctx.Err() != nil {
		p.close()
		err = ctx.Err()
	}
	if err != nil {
		p.cancel()
		return nil, err
	}
	return p, nil
}

// instance makes a sandbox's inside: a fresh PDFium and its memory.
func (p *pool) instance(ctx context.Context) (pdfium.Pdfium, *memory, error) {
	inst, err := p.GetInstanceWithContext(ctx)
	p.mu.Lock()
	mem := p.mem
	p.mem = nil
	p.mu.Unlock()
	if err == nil && mem == nil {
		err = errors.New("no memory was allocated")
	}
	if err != nil {
		mem.unmap()
		return nil, nil, err
	}
	return inst, mem, nil
}

func (p *pool) close() {
	p.cancel()
	p.Pool.Close()
}
