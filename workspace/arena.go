package workspace

import "strings"

// An arena is where a walk keeps names and paths: very many short strings in a few
// pieces of memory. A string that is kept keeps its whole piece.
type arena struct{ piece strings.Builder }

// Bytes of a piece: each is twice as long as the one before, up to the most. An
// offset in one fits 16 bits.
const (
	leastPiece = 1 << 10
	mostPiece  = 64 << 10
)

// keep returns b as a string.
func (a *arena) keep(b []byte) string {
	a.room(len(b))
	start := a.piece.Len()
	a.piece.Write(b)
	return a.piece.String()[start:]
}

// join is the path of name in dir.
func (a *arena) join(dir relPath, name string) relPath {
	if dir == "." {
		return relPath(name)
	}
	a.room(len(dir) + 1 + len(name))
	start := a.piece.Len()
	a.piece.WriteString(string(dir))
	a.piece.WriteByte('/')
	a.piece.WriteString(name)
	return relPath(a.piece.String()[start:])
}

// room makes the piece one that has room for n more bytes where it is.
func (a *arena) room(n int) {
	if old := a.piece.Cap(); old-a.piece.Len() < n {
		a.piece.Reset()
		a.piece.Grow(max(n, leastPiece, min(2*old, mostPiece)))
	}
}
