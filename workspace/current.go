package workspace

import (
	"context"
	"io/fs"
	"os"
	"sync"
	"time"
)

// A lookout tells whether files still are as changes left them. It looks at each
// once.
type lookout struct {
	ws   *Workspace
	seen map[relPath]*standing
}

// standing is what stands at a path.
type standing struct {
	unknown bool        // it cannot be looked at
	info    fs.FileInfo // nil: nothing
	hash    SHA256      // set when it was asked for
}

// current is true or false, or "unknown". Most files need no reading to tell: they
// are of another size, or were hashed before.
func (l *lookout) current(ctx context.Context, c *change) any {
	s := l.seen[c.Real]
	if s == nil {
		s = l.ws.standing(ctx, c.Real)
		l.seen[c.Real] = s
	}
	switch {
	case s.unknown:
		return "unknown"
	case s.info == nil || c.After == nil:
		return s.info == nil && c.After == nil
	case !s.info.Mode().IsRegular(), s.info.Size() != c.After.Size:
		return false
	}
	if s.hash == "" {
		s.hash = l.ws.hashes.get(c.Real, s.info)
	}
	if s.hash == "" {
		if s.hash = l.ws.hashNow(ctx, c.Real); s.hash == "" {
			s.unknown = true
			return "unknown"
		}
	}
	return s.hash == c.afterHash()
}

func (ws *Workspace) standing(ctx context.Context, path relPath) *standing {
	p, err := ws.resolve(ctx, path)
	if err != nil {
		return &standing{unknown: true}
	}
	defer p.Close()
	return &standing{info: p.info}
}

// hashNow reads the file, remembers its hash and returns it; empty if it cannot be
// told.
func (ws *Workspace) hashNow(ctx context.Context, path relPath) SHA256 {
	p, err := ws.resolve(ctx, path)
	if err != nil {
		return ""
	}
	defer p.Close()
	f, info, err := ws.openFile(ctx, p)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info.Size() > maxEdit {
		return ""
	}
	begun := ws.hashes.now()
	h, _, err := hashFile(ctx, f)
	if err != nil {
		return ""
	}
	if after, err := f.Stat(); err == nil && sameVersion(info, after) {
		ws.hashes.put(path, info, h, begun)
	}
	return h
}

const (
	maxHashes = 1024
	// settled is how old a file's times must be for them to change with the next
	// write to it: file systems count in steps of up to two seconds.
	settled = 2 * time.Second
)

// hashes remember what files were hashed to. It is safe for concurrent use.
type hashes struct {
	now func() time.Time // set before the first use

	mu   sync.Mutex
	kept recent[relPath, hashed]
}

type hashed struct {
	info fs.FileInfo
	hash SHA256
}

func newHashes() *hashes { return &hashes{now: time.Now, kept: newRecent[relPath, hashed](maxHashes)} }

// get is the hash of the version that info is of, or empty.
func (h *hashes) get(path relPath, info fs.FileInfo) SHA256 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k, ok := h.kept.kept[path]; ok && sameVersion(k.info, info) {
		return k.hash
	}
	return ""
}

// put keeps a hash that was begun at that time, if a later write is sure to show
// in the file's times.
func (h *hashes) put(path relPath, info fs.FileInfo, hash SHA256, begun time.Time) {
	if begun.Sub(info.ModTime()) <= settled || begun.Sub(changeTime(info)) <= settled {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept.put(path, hashed{info, hash})
}

// sameVersion reports whether a and b are of one file that nobody wrote to in
// between, as far as its size and times tell.
func sameVersion(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && !changedBetween(a, b) && changeTime(a).Equal(changeTime(b))
}
