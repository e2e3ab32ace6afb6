//go:build !race

package pdfium_test

const race = false
