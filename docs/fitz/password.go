//go:build cgo && !nocgo

package fitz

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ignored are the characters that SASLprep takes out (RFC 3454, B.1).
var ignored = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, {Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x1806, Hi: 0x1806, Stride: 1},
	{Lo: 0x180b, Hi: 0x180d, Stride: 1}, {Lo: 0x200b, Hi: 0x200d, Stride: 1}, {Lo: 0x2060, Hi: 0x2060, Stride: 1},
	{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
}, LatinOffset: 1}

// spellings are the forms in which a password is tried: as it was given, and as
// PDF 2.0 wants it (SASLprep, RFC 4013), which MuPDF leaves to its caller.
func spellings(password string) []string {
	prepared := norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(ignored, r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return r
	}, password))
	if prepared == password {
		return []string{password}
	}
	return []string{password, prepared}
}
