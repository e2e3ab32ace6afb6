//go:build cgo && !nocgo && extlib

package fitz

import "github.com/arcseat/arc/docs"

// guardedFits: a library of the system's may be of any version and build, so
// only go-fitz's own functions are used with it.
func guardedFits() bool { return false }

type guarded struct {
	memory int64
	served bool
	docs.Engine
}
