package ignore

import "strings"

// parseClass reads a [class] at the start of s: its set and its length, 0 if it
// does not end or names an unknown class.
func parseClass(s string) (set *[256]bool, length int) {
	set = new([256]bool)
	i, negated := 1, false
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		negated = true
		i++
	}
	previous := -1 // where a range may start; -1: nowhere
	for first := true; ; first = false {
		if i >= len(s) {
			return nil, 0
		}
		c := s[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '[' && i+1 < len(s) && s[i+1] == ':':
			end := strings.IndexByte(s[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			name, named := strings.CutSuffix(s[i+2:i+2+end], ":")
			if !named { // an ordinary bracket after all
				set['['] = true
				previous, i = '[', i+1
				continue
			}
			is, known := classes[name]
			if !known {
				return nil, 0
			}
			for b := range 256 {
				set[b] = set[b] || is(byte(b))
			}
			previous, i = -1, i+2+end+1
			continue
		case c == '-' && previous >= 0 && i+1 < len(s) && s[i+1] != ']':
			i++
			if s[i] == '\\' {
				if i++; i >= len(s) {
					return nil, 0
				}
			}
			for b := previous; b <= int(s[i]); b++ {
				set[b] = true
			}
			previous, i = -1, i+1
			continue
		case c == '\\':
			if i++; i >= len(s) {
				return nil, 0
			}
			c = s[i]
		}
		set[c] = true
		previous, i = int(c), i+1
	}
	if negated {
		for b := range set {
			set[b] = !set[b]
		}
	}
	return set, i + 1
}

// classes are the named ones, of ASCII as in git.
var classes = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isAlpha(b) || isDigit(b) },
	"alpha":  isAlpha,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  isGraph,
	"lower":  isLower,
	"print":  func(b byte) bool { return b == ' ' || isGraph(b) },
	"punct":  func(b byte) bool { return isGraph(b) && !isAlpha(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  isUpper,
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' },
}

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isAlpha(b byte) bool { return isUpper(b) || isLower(b) }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isGraph(b byte) bool { return '!' <= b && b <= '~' }
