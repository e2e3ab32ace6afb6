//go:build !unix

package local

import "context"

// readerGone has no signal to wait for: a write to standard output fails.
func readerGone(context.Context, func()) (forget func()) { return func() {} }
