//go:build race

package main

// The race detector makes reading a long conversation many times slower.
const (
	logSize     = 1 << 20   // of a build that prints much
	archiveSize = 512 << 10 // of what a service answers
)
