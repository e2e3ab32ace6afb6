package seat

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/arcseat/arc/internal/page"
)

// MaxAfter is the longest that a reminder or a wait may be away.
const MaxAfter = 366 * 24 * time.Hour

// units of a duration, as a model writes them.
var units = map[string]time.Duration{
	"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond,
}

var part = regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)`)

// parseDuration reads what a model gives for a time from now: seconds as a number
// or in a string, or parts such as 1h30m, 2 d 4 h or 90S. It is more than nothing
// and at most 366 days; less than a second counts as one, because nobody means to
// be woken in the same breath. An *arc.Error says what would be read.
func parseDuration(name string, v any) (time.Duration, error) {
	var d float64 // nanoseconds
	bad := func(why string) (time.Duration, error) {
		return 0, invalid("invalid_duration", "%s %s; give positive seconds, or a duration such as 90s, 10m or 1h30m, of 366 days at most.", name, why)
	}
	text := strings.TrimSpace(fmt.Sprint(v))
	switch v.(type) {
	case json.Number, float64, int, int64, string:
	default:
		return bad("is neither a number nor a text")
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xXpP_") {
		d = n * float64(time.Second)
	} else {
		rest := strings.ToLower(text)
		if rest == "" {
			return bad("is empty")
		}
		for rest != "" {
			m := part.FindStringSubmatch(rest)
			if m == nil {
				return bad(fmt.Sprintf("%q is no duration", page.First(text, 40)))
			}
			n, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return bad(fmt.Sprintf("%q is no duration", page.First(text, 40)))
			}
			d += n * float64(units[m[2]])
			rest = strings.TrimSpace(rest[len(m[0]):])
		}
	}
	switch {
	case math.IsNaN(d) || d <= 0:
		return bad("is not positive")
	case d > float64(MaxAfter):
		return bad("is too long")
	}
	// Fractions are rounded up to a millisecond, so that nothing comes early.
	ms := math.Ceil(d / float64(time.Millisecond))
	return max(time.Duration(ms)*time.Millisecond, time.Second), nil
}
