//go:build linux && cgo && !race

package docs_test

const raceEnabled = false
