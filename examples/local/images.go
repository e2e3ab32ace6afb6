package local

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// An album is a directory with the pictures that a model was given, numbered in the
// order of its calls.
type album struct {
	dir  string
	log  *slog.Logger
	last atomic.Int64
}

// newAlbum begins after the pictures that are there.
func newAlbum(dir string, log *slog.Logger) (*album, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("no pictures can be kept there: %w", err)
	}
	a := &album{dir: dir, log: log}
	there, err := filepath.Glob(filepath.Join(dir, "*-*.*"))
	if err != nil {
		return nil, err
	}
	for _, name := range there {
		var n int64
		if _, err := fmt.Sscanf(filepath.Base(name), "%d-", &n); err == nil {
			a.last.Store(max(a.last.Load(), n))
		}
	}
	return a, nil
}

// keep is the middleware that keeps them. A picture that cannot be kept is no reason
// to fail a call.
func (a *album) keep(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		r := next(ctx, c)
		for _, m := range r.Images {
			_, kind, _ := strings.Cut(m.MIME, "/")
			name := fmt.Sprintf("%04d-%s.%s", a.last.Add(1), c.Name, kind)
			if err := os.WriteFile(filepath.Join(a.dir, name), m.Data, 0o600); err != nil {
				a.log.Warn("a picture could not be kept", "err", err)
			}
		}
		return r
	}
}
