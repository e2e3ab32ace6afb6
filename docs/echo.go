package docs

import (
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// Limits of what a result says again of its call, in bytes as JSON, where a quote
// takes two and a control character six. A header has 16 KiB for all that it says.
const (
	maxPath  = 8 << 10 // a longer one names no file here: the next call could not be shown
	maxAsked = 2 << 10 // of a query
	// maxEcho is the longest path or query that stands in a result beside its next
	// call.
	maxEcho = 1 << 10
	// maxTwice is the longest path that stands in two calls of one result.
	maxTwice = 4 << 10
)

// echoed is a path or a query as a result has it.
func echoed(s string) string {
	if len(quoted(s)) > maxEcho {
		return ""
	}
	return s
}

// checkPath refuses a path that a result has no room for.
func checkPath(path string) error {
	if n := len(quoted(path)); n > maxPath {
		return &arc.Error{
			Code:    arc.InvalidPath,
			Message: fmt.Sprintf("the path takes %d bytes and %d is the most here; move the file to a shorter one.", n, maxPath),
		}
	}
	return nil
}

// quoted is s as JSON writes it in a result.
func quoted(s string) string { return string(plainjson.Quote(s)) }
