//go:build !unix

package pdfium

// reserve takes memory of the Go heap, which the system gives as it is touched,
// though memory that was used before is cleared whole.
func reserve(size int) ([]byte, error) { return make([]byte, size), nil }

func release([]byte) {}
