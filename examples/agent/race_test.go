//go:build race

package main

// The race detector makes reading a long conversation many times slower.
const logSize = 1 << 20
