//go:build !race

package main

const (
	logSize     = 5 << 20
	archiveSize = 2 << 20
)
