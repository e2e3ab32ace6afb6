package workspace

import (
	"path"
	"strings"
	"unicode/utf8"
)

// A likeness says how near one name is to another; the lower, the nearer.
type likeness uint8

const (
	sameSpelling likeness = iota
	oneSlip               // of a finger: a letter too many, one too few, another one, or two swapped
	sameStem              // what stands before the last dot
	twoSlips
	unlike
)

// likenessOf compares two spellings.
func likenessOf(a, b string) likeness {
	most := 0 // slips: of a short name they would leave nothing
	switch n := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); {
	case n >= 6:
		most = 2
	case n >= 3:
		most = 1
	}
	x, y := []rune(a), []rune(b)
	switch {
	case a == b:
		return sameSpelling
	case most > 0 && slipsApart(x, y, 1):
		return oneSlip
	case stem(a) == stem(b):
		return sameStem
	case most > 1 && slipsApart(x, y, 2):
		return twoSlips
	}
	return unlike
}

// stem is a name without its extension.
func stem(name string) string {
	if s := strings.TrimSuffix(name, path.Ext(name)); s != "" {
		return s
	}
	return name // of a dot file, which has none
}

// slipsApart reports whether a becomes b by at most that many slips.
func slipsApart(a, b []rune, most int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if len(a) == 0 || len(b) == 0 || len(a)-len(b) > most || len(b)-len(a) > most || most == 0 {
		return max(len(a), len(b)) <= most
	}
	return slipsApart(a[1:], b, most-1) || slipsApart(a, b[1:], most-1) || slipsApart(a[1:], b[1:], most-1) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && slipsApart(a[2:], b[2:], most-1)
}
