//go:build !cgo || nocgo

package fitz

import "github.com/arcseat/arc/docs"

// go-fitz is not imported here: without cgo it looks for a shared library when
// the program starts, and panics where there is none.
const (
	built   = false
	reexec  = false
	missing = "this program was built without cgo, which its PDF engine needs: install a C compiler (Debian: apt install gcc libc6-dev) and build with CGO_ENABLED=1"
)

func explain(string) string { return "" }

func inProcess(int64) (docs.Engine, error) { return nil, docs.Unavailable(missing) }

func served(int64) (docs.Engine, error) { return nil, docs.Unavailable(missing) }
