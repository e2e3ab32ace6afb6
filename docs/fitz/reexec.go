//go:build cgo && !nocgo && !arc_noreexec

package fitz

// reexec: this program serves when it is started as a worker.
const reexec = true

// A library cannot ask for a line in its host's main, and a file that ends the
// host is worse than an init. It returns at once unless the environment and the
// pipes of a worker are there. The tag arc_noreexec leaves it out.
func init() { Main() }
