package workspace

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWhatAnArenaKeepsStaysAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var a arena
		var kept, want []string
		for range rapid.IntRange(1, 300).Draw(t, "strings") {
			name := strings.Repeat(rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "part"), rapid.SampledFrom([]int{1, 1, 1, 200, 9000}).Draw(t, "times"))
			dir := rapid.SampledFrom([]relPath{".", "d", "d/e"}).Draw(t, "dir")
			b := []byte(name)
			kept, want = append(kept, a.keep(b), string(a.join(dir, name))), append(want, name, string(dir.join(name)))
			clear(b)
		}
		for i := range want {
			if kept[i] != want[i] {
				t.Fatalf("string %d is %q, was %q", i, kept[i], want[i])
			}
		}
	})
}
