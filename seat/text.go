package seat

import (
	"strconv"
	"strings"
)

// storable is s as every store can keep it: valid UTF-8 without NUL.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
