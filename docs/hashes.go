package docs

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

const (
	// settle is how old a change must be for the file's times to tell the next one
	// from it.
	settle    = 2 * time.Second
	maxHashes = 1024
)

// hashes remember the hash of files by what the system says of them, so that a file
// that nobody touched is not hashed again.
type hashes struct {
	mu sync.Mutex
	by map[string]hashed
}

type hashed struct {
	info    fs.FileInfo
	changed time.Time
	sha256  string
}

func newHashes() *hashes { return &hashes{by: map[string]hashed{}} }

// get is the hash of the file at path, which is open and has info; empty: unknown.
func (h *hashes) get(path string, info fs.FileInfo) string {
	changed, ok := changeTime(info)
	h.mu.Lock()
	defer h.mu.Unlock()
	v, found := h.by[path]
	if !ok || !found || !v.changed.Equal(changed) || !os.SameFile(info, v.info) || differ(info, v.info) {
		return ""
	}
	return v.sha256
}

// put remembers a hash that was made after began, unless the file is so young that
// it could change again without showing it.
func (h *hashes) put(path string, info fs.FileInfo, began time.Time, sha256 string) {
	changed, ok := changeTime(info)
	if !ok || began.Sub(changed) < settle || began.Sub(info.ModTime()) < settle {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.by) >= maxHashes {
		clear(h.by)
	}
	h.by[path] = hashed{info, changed, sha256}
}

// differ reports whether a file has changed between two looks at it, as far as the
// system tells.
func differ(a, b fs.FileInfo) bool {
	at, _ := changeTime(a)
	bt, _ := changeTime(b)
	return a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) || !at.Equal(bt)
}
