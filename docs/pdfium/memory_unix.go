//go:build unix

package pdfium

import "golang.org/x/sys/unix"

// reserve takes address space; the system gives pages as they are touched.
func reserve(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
}

func release(b []byte) { unix.Munmap(b) }
