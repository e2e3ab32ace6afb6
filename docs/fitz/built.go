//go:build cgo && !nocgo

package fitz

const (
	built   = true
	missing = ""
)
