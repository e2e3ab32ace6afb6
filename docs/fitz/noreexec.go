//go:build cgo && !nocgo && arc_noreexec

package fitz

const reexec = false
