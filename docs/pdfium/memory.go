package pdfium

import "sync"

// memory is what one sandbox has: reserved whole at the start, so that it grows
// without a copy, and given back to the system at once when the sandbox goes.
// The runtime's own way is a slice that grows; the old copies wait for the
// garbage collector, and a file can make them come to four times the limit.
type memory struct {
	mu      sync.Mutex
	all     []byte // nil: could not be reserved, or was given back
	used    uint64
	limit   uint64
	refused bool // more than the limit was asked for
}

func newMemory(limit uint64) *memory {
	m := &memory{limit: limit}
	m.all, _ = reserve(int(limit)) // without any, Reallocate refuses and the sandbox is not made
	return m
}

// Reallocate grows the memory; nil refuses.
func (m *memory) Reallocate(size uint64) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > uint64(len(m.all)) {
		m.refused = true
		return nil
	}
	m.used = size
	return m.all[:size:size]
}

// Free does nothing: the runtime calls it while others may still look at the
// memory, and a look at memory that is gone would end the host. See unmap.
func (m *memory) Free() {}

// unmap gives the memory back. Nothing that looks at it may be at work any more.
func (m *memory) unmap() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all != nil {
		release(m.all)
		m.all = nil
	}
}

// short says that the sandbox asked for more than it may have.
func (m *memory) short() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused
}

// worn says that so much is used that a fresh sandbox should read on. PDFium
// keeps parsed objects until the file is closed.
func (m *memory) worn() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused || m.used > m.limit/2
}
