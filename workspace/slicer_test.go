package workspace

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPagesJoinToTheWhole: a long line is readable to its end, and
// truncated never lies.
func TestPagesJoinToTheWhole(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	pages := func(t interface{ Fatalf(string, ...any) }, content string) int {
		p.put("f", content)
		want := strings.ReplaceAll(strings.TrimPrefix(content, "\ufeff"), "\r\n", "\n")
		var joined strings.Builder
		a, n := ReadArgs{Path: "f"}, 0
		for {
			r, err := p.Read(ctx, a)
			if err != nil {
				t.Fatalf("page %d: %v", n, err)
			}
			if len(r.Text) > 64<<10 {
				t.Fatalf("page %d has %d bytes", n, len(r.Text))
			}
			n++
			joined.WriteString(r.Text)
			if r.Next == nil {
				break
			}
			if r.Text == "" {
				t.Fatalf("page %d is empty and not the last", n)
			}
			a = r.Next.Arguments.(ReadArgs)
		}
		if joined.String() != want {
			t.Fatalf("%d pages join to %d bytes, not to the whole of %d", n, joined.Len(), len(want))
		}
		return n
	}
	t.Run("a line of 1 MB", func(t *testing.T) {
		if n := pages(t, "first\n"+strings.Repeat("0123456789", 100_000)+"\nlast\n"); n != 17 {
			t.Errorf("it has %d pages, want 17", n)
		}
	})
	t.Run("line ends and characters across every edge", func(t *testing.T) {
		line := strings.Repeat("z", 1023) + "\n"
		for _, unit := range []string{"\r\n", "x\r\n", "é", "😀\r", "\r\r\n", "ab漢\n"} {
			for _, edge := range []int{64 << 10, readBuffer, 2 * readBuffer} {
				for shift := range 5 {
					pages(t, strings.Repeat("y", shift)+strings.Repeat(line, edge/len(line)-1)+strings.Repeat("z", 1000)+strings.Repeat(unit, 20))
				}
			}
		}
	})
	t.Run("anything", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			var b strings.Builder
			for _, part := range rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				s := rapid.SampledFrom([]string{"\r\n", "\n", "\r", "x", "é", "漢", "😀", "\ufeff", "line\n", "\r\r\n"}).Draw(t, "part")
				return strings.Repeat(s, rapid.SampledFrom([]int{1, 1, 2, 3, 1999, 2000, 21845, 32768, 65535, 65536, 70000}).Draw(t, "times"))
			}), 0, 6).Draw(t, "content") {
				b.WriteString(part)
			}
			pages(t, b.String())
		})
	})
}

func FuzzSlicerIsTheSameInAnyPieces(f *testing.F) {
	f.Add([]byte("\ufeffa\r\nb\r\r\nç"), 1, 0, 1)
	f.Add([]byte("abc\ndef"), 2, 1, 2)
	f.Fuzz(func(t *testing.T, content []byte, line, char, size int) {
		if line < 1 || char < 0 || size < 1 {
			t.Skip()
		}
		whole := newSlicer(line, char)
		whole.feed(content, true)
		pieces := newSlicer(line, char)
		var held []byte
		for rest := content; ; {
			n := min(size, len(rest))
			b := append(bytes.Clone(held), rest[:n]...)
			rest = rest[n:]
			held = b[pieces.feed(b, len(rest) == 0):]
			if len(rest) == 0 {
				break
			}
		}
		a, b := *whole, *pieces
		textA, usedA := a.cut()
		textB, usedB := b.cut()
		if !bytes.Equal(textA, textB) || usedA != usedB || a.lf != b.lf || a.crlf != b.crlf || a.open != b.open || a.missing() != b.missing() || a.invalid != b.invalid || a.bom != b.bom || a.rawAt != b.rawAt {
			t.Errorf("in pieces of %d: %q %+v, whole: %q %+v", size, textB, b, textA, a)
		}
	})
}
