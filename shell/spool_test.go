package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newSpool(dir string, max int64, tail int, grow func(int64) bool) *spool {
	path := filepath.Join(dir, "spool")
	return &spool{path: path, file: func() (*os.File, error) { return os.Create(path) }, max: max, limit: tail, grow: grow}
}

func always(int64) bool { return true }

// pages joins the pages of a spool from off on, and says where they ended.
func pages(t interface{ Fatalf(string, ...any) }, s *spool, off int64, size func() int) (string, int64) {
	var out strings.Builder
	for {
		p, err := s.page(off, size())
		if err != nil {
			t.Fatalf("page at %d: %v", off, err)
		}
		if p.size == 0 {
			return out.String(), off
		}
		out.WriteString(p.text)
		off += p.size
	}
}

// A naive cut of pages makes U+FFFD of the characters at their edges.
func TestPagesJoinToTheWholeDecoded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := newSpool(dir, rapid.Int64Range(1, 60).Draw(t, "cap"), rapid.IntRange(1, 20).Draw(t, "tail"), always)
		defer s.seal()
		alphabet := rapid.SampledFrom([]byte("az\x80\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3\xa9\xed\xa0"))
		var all []byte
		var read strings.Builder
		at, lost := int64(0), false
		size := func() int { return rapid.IntRange(1, 12).Draw(t, "size") }
		for range rapid.IntRange(0, 6).Draw(t, "writes") {
			b := rapid.SliceOfN(alphabet, 0, 30).Draw(t, "bytes")
			s.append(b)
			all = append(all, b...)
			if rapid.Bool().Draw(t, "reads meanwhile") {
				lost = lost || s.bounds().dropped() > 0
				text, to := pages(t, s, at, size)
				read.WriteString(text)
				at = to
			}
		}
		if err := s.seal(); err != nil {
			t.Fatal(err)
		}
		b := s.bounds()
		want := decode(all)
		if n := b.dropped(); n > 0 {
			want = decode(all[:b.head]) + fmt.Sprintf("[%d bytes were not kept]\n", n) + decode(all[b.tail:])
		}
		if got, to := pages(t, s, 0, size); got != want || to != int64(len(all)) {
			t.Fatalf("joined pages are %q up to %d, want %q up to %d", got, to, want, len(all))
		}
		text, _ := pages(t, s, at, size)
		read.WriteString(text)
		if !lost && b.dropped() == 0 && read.String() != want {
			t.Fatalf("pages read while it grew are %q, want %q", read.String(), want)
		}
	})
}

func FuzzPagesOfAWhole(f *testing.F) {
	f.Add([]byte("a\xe6\xbc\xa2z\xff"), 4)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if size < 4 || size > 1<<16 {
			return
		}
		var out strings.Builder
		for off := 0; off < len(b); {
			end := min(len(b), off+size)
			text, n := decodePage(b[off:end], size, end == len(b))
			if n == 0 {
				t.Fatalf("stuck at %d of %q", off, b)
			}
			out.WriteString(text)
			off += n
		}
		if want := string([]rune(string(b))); out.String() != want {
			t.Fatalf("pages of %d join to %q, want %q", size, out.String(), want)
		}
	})
}

func TestWhatTheDiskRefusesIsCounted(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 1000, 8, always)
	s.append([]byte("kept "))
	s.to.Close() // every write fails from now on, as on a full disk
	s.append([]byte("lost "))
	s.append([]byte("the end."))
	if err := s.seal(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("seal says %v", err)
	}
	if got, _ := pages(t, s, 0, func() int { return 100 }); got != "kept [5 bytes were not kept]\nthe end." {
		t.Errorf("joined pages are %q", got)
	}
	if b := s.bounds(); b.total != 18 || b.dropped() != 5 {
		t.Errorf("bounds are %+v", b)
	}
}

func TestAStoreWithoutRoomKeepsTheTailInMemory(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 1000, 4, func(int64) bool { return false })
	s.append([]byte("0123456789"))
	if err := s.seal(); err != nil {
		t.Errorf("seal says %v", err)
	}
	if got, _ := pages(t, s, 0, func() int { return 100 }); got != "[6 bytes were not kept]\n6789" {
		t.Errorf("joined pages are %q", got)
	}
	// The next host has the file alone.
	if head, tail, total := s.filed(); head != 0 || tail != 0 || total != 10 {
		t.Errorf("of %d bytes the record says that the file has the first %d and the last %d", total, head, tail)
	}
}

func TestATailInMemoryIsCutToAPreview(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 1000, 100_000, func(int64) bool { return false })
	s.append(bytes.Repeat([]byte("0123456789"), 5000))
	if err := s.seal(); err != nil {
		t.Errorf("seal says %v", err)
	}
	if b := s.bounds(); b.total != 50_000 || b.total-b.tail != memoryTail || len(s.ring) != memoryTail {
		t.Errorf("bounds are %+v, %d bytes in memory", b, len(s.ring))
	}
	want := "[33,616 bytes were not kept]\n" + strings.Repeat("0123456789", 1639)[16390-memoryTail:]
	if got, _ := pages(t, s, 0, func() int { return 70_000 }); got != want {
		t.Errorf("joined pages have %d bytes, want %d", len(got), len(want))
	}
}

// The lines around what a preview omits stand at the ends of lines if they can,
// and the three parts are the whole.
func TestAPreviewOmitsWhatItSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := newSpool(dir, 1<<20, 10, always)
		defer s.seal()
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab漢😀\n ")), 0, 400, -1).Draw(t, "text")
		from := int64(len(string([]rune(text)[:rapid.IntRange(0, len([]rune(text))).Draw(t, "from")])))
		max := rapid.IntRange(16, 200).Draw(t, "max")
		s.append([]byte(text))
		p, err := s.preview("sp_x", from, max)
		if err != nil {
			t.Fatal(err)
		}
		rest := text[from:]
		if p.omitted == nil {
			if p.text != rest || len(rest) > max {
				t.Fatalf("preview %q of %q", p.text, rest)
			}
			return
		}
		head, tail := text[from:p.omitted.Offset], text[p.omitted.Offset+p.omitted.Bytes:]
		if want := lines(head, p.marker("sp_x"), tail); p.text != want {
			t.Fatalf("preview %q, want %q", p.text, want)
		}
		if len(head)+len(tail) > max || p.end != int64(len(text)) {
			t.Fatalf("%d + %d bytes of at most %d, end %d", len(head), len(tail), max, p.end)
		}
	})
}

// The end of the output is the start of a character, just past what fits.
func TestAPreviewOmitsNoLessThanNothing(t *testing.T) {
	t.Parallel()
	for more := range 8 {
		s := newSpool(t.TempDir(), 1<<20, 10, always)
		text := strings.Repeat("x", 94+more) + "\xf0\x9f\x98"
		s.append([]byte(text))
		p, err := s.preview("sp_x", 0, 96)
		if err != nil {
			t.Fatal(err)
		}
		want := text[:94+more]
		if p.omitted != nil {
			want = lines(text[:p.omitted.Offset], p.marker("sp_x"), text[p.omitted.Offset+max(1, p.omitted.Bytes):94+more])
		}
		if p.text != want || p.end != int64(94+more) {
			t.Errorf("of %d bytes it omits %+v and shows %q", len(text), p.omitted, p.text)
		}
		s.seal()
	}
}

// A poll showed the rest of a colour's sequence as text.
func TestAPreviewHoldsBackAnEscapeSequenceThatMayGoOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ begun, rest string }{
		{"\x1b", "[31m"}, {"\x1b[3", "1m"}, {"\x1b(", "B"}, {"\x1b]0;ti", "tle\x07"},
	} {
		s := newSpool(t.TempDir(), 1<<20, 10, always)
		s.append([]byte("one" + c.begun))
		first, err := s.preview("sp_x", 0, 100)
		if err != nil || first.text != "one" || first.end != 3 {
			t.Errorf("%q: first %q up to %d, %v", c.begun, first.text, first.end, err)
		}
		s.append([]byte(c.rest + "two"))
		second, err := s.preview("sp_x", first.end, 100)
		if err != nil || second.text != "two" || second.end != s.size() {
			t.Errorf("%q: then %q up to %d, %v", c.begun, second.text, second.end, err)
		}
		s.seal()
	}
}

func TestAPreviewOfOutputWithAGap(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 40, 40, always)
	s.append(bytes.Repeat([]byte("123456789\n"), 50))
	p, err := s.preview("sp_x", 0, 80)
	if err != nil {
		t.Fatal(err)
	}
	want := "123456789\n123456789\n" + `[450 bytes omitted; see shell_output {"spool_id":"sp_x","offset":20,"max_bytes":450}]` + "\n" + strings.Repeat("123456789\n", 3)
	if p.text != want || p.dropped != 420 {
		t.Errorf("preview is %q, dropped %d", p.text, p.dropped)
	}
	if err := s.seal(); err != nil {
		t.Fatal(err)
	}
	if q, err := s.preview("sp_x", 0, 80); err != nil || q.text != want {
		t.Errorf("sealed, it is %q, %v", q.text, err)
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"": false, "text": false, "a\x00": true, strings.Repeat("x", 9000) + "\x00": false,
		"\xff\xffabcd": true, "\xff\xffabcdefgh": false, "漢字": false,
	} {
		if got := binary([]byte(in)); got != want {
			t.Errorf("%.20q: %v, want %v", in, got, want)
		}
	}
}
