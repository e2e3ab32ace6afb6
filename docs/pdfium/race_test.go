//go:build race

package pdfium_test

// race says that the race detector is on, which needs memory of its own.
const race = true
