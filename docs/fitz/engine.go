//go:build cgo && !nocgo

package fitz

import "github.com/arcseat/arc/docs"

// inProcess makes the engine that a worker serves. memory is what MuPDF may
// allocate for a file, in bytes.
func inProcess(memory int64) (docs.Engine, error) { return public{}, nil }
