package render

import (
	"strconv"
	"strings"
)

// lower is s in lower case, which it mostly is.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

func shownDisplay(value string) bool {
	for _, p := range []string{"block", "inline", "flex", "grid", "table", "contents", "flow-root", "list-item", "initial", "unset", "revert", "-webkit-box", "ruby", "run-in"} {
		if strings.HasPrefix(value, p) {
			return true
		}
	}
	return false
}

// length is a length in pixels, about; false for what is none, or a share of something
// that is not known.
func length(value string) (px float64, ok bool) {
	n := 0
	for n < len(value) && (value[n] >= '0' && value[n] <= '9' || value[n] == '.' || n == 0 && (value[n] == '-' || value[n] == '+')) {
		n++
	}
	f, err := strconv.ParseFloat(value[:n], 64)
	if err != nil {
		return 0, false
	}
	switch value[n:] {
	case "", "px", "pt":
		return f, true
	case "em", "rem", "ex", "ch", "vw", "vh":
		return 10 * f, true
	}
	return 0, f == 0
}

// fraction is a number, or a share in percent.
func fraction(value string) (float64, bool) {
	number, percent := strings.CutSuffix(strings.TrimSpace(value), "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	return f, err == nil && f >= 0
}

// colorless reports whether a color is none that is seen.
func colorless(value string) bool {
	if value == "transparent" {
		return true
	}
	inner, ok := strings.CutSuffix(value, ")")
	if !ok || !strings.HasPrefix(inner, "rgb") && !strings.HasPrefix(inner, "hsl") {
		return false
	}
	parts := strings.FieldsFunc(inner[strings.IndexByte(inner, '(')+1:], func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(parts) != 4 {
		return false
	}
	f, ok := fraction(parts[3])
	return ok && f <= faint
}

// nothingOf reports whether a clip leaves nothing: a rectangle of a pixel at most, an
// inset of half of the box, a circle without a radius.
func nothingOf(value string) bool {
	shape, rest, ok := strings.Cut(value, "(")
	if !ok {
		return false
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' || r == ' ' })
	if len(parts) == 0 {
		return false
	}
	switch shape {
	case "rect":
		for _, p := range parts {
			if px, ok := length(p); !ok || px > speck {
				return false
			}
		}
		return true
	case "inset":
		f, ok := fraction(parts[0])
		return ok && strings.HasSuffix(parts[0], "%") && f >= 0.5
	case "circle", "ellipse":
		px, ok := length(parts[0])
		return ok && px == 0
	}
	return false
}

// nowhere reports whether a transform shrinks a box to nothing, or moves it far away.
func nowhere(value string) bool {
	name, rest, ok := strings.Cut(value, "(")
	if !ok {
		return false
	}
	first := strings.TrimSpace(rest[:len(rest)-len(strings.TrimLeft(rest, "-+.0123456789pxemrvwh% "))])
	switch name {
	case "scale", "scalex", "scaley", "scale3d":
		f, ok := fraction(first)
		return ok && f == 0
	case "translate", "translatex", "translatey", "translate3d":
		px, ok := length(first)
		return ok && px <= farMoved
	}
	return false
}

// plainStyle is a style without comments, and with what is escaped in it as it reads.
func plainStyle(s string) string {
	s = withoutComments(s)
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		n := 0
		for n < 6 && i+1+n < len(s) && unhex(s[i+1+n]) >= 0 {
			n++
		}
		if n == 0 {
			continue // the next one stands for itself
		}
		if code, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32); err == nil {
			b.WriteRune(rune(code))
		}
		if i += n; i+1 < len(s) && s[i+1] == ' ' {
			i++
		}
	}
	return b.String()
}

func withoutComments(s string) string {
	i := strings.Index(s, "/*")
	if i < 0 {
		return s
	}
	var b strings.Builder
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i+2:]
		end := strings.Index(s, "*/")
		if end < 0 {
			return b.String()
		}
		s = s[end+2:]
		i = strings.Index(s, "/*")
	}
	return b.String() + s
}
