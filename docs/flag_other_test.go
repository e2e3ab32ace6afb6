//go:build !linux || !cgo

package docs_test

import "flag"

// The tests of real files need the engine; the flag is taken all the same.
var _ = flag.Bool("corpus", false, "nothing: the engine that reads real files is not built here")
