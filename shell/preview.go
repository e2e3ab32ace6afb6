package shell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A Range is a part of a command's output: Bytes from Offset on.
type Range struct {
	Offset int64 `json:"offset"` // of the first byte
	Bytes  int64 `json:"bytes"`  // how many
}

// A preview is output made fit for a model to look at.
type preview struct {
	text    string
	from    int64
	end     int64 // the offset after the last byte that was looked at
	omitted *Range
	cleaned bool
	binary  bool
	dropped int64 // bytes of the whole output that nobody kept
}

// binaryProbe is how much of an output decides whether it is text.
const binaryProbe = 8 << 10

// preview shows the output from a byte on in at most most raw bytes: a quarter
// from its start, and the rest from its end, where a test's summary stands. It
// cuts at the end of a line if one is near, and never inside a character.
func (s *spool) preview(id string, from int64, most int) (preview, error) {
	m := s.mask()
	tail, at, b, err := s.lastMasked(m, most)
	if err != nil {
		return preview{}, err
	}
	more := len(tail) - (most - most/4) // what the tail has beyond its share
	if b.open {
		tail = tail[:page.Whole(tail)] // the rest of a character is still to come
		tail = tail[:len(tail)-unfinished(tail)]
	}
	p := preview{from: from, end: max(from, at+int64(len(tail))), dropped: b.dropped()}
	if at <= from {
		tail = tail[min(from-at, int64(len(tail))):]
		if p.binary = binary(tail); p.binary {
			p.text = binaryLine(p.end-from, tail)
			return p, nil
		}
		p.text, p.cleaned = m.clean(tail, from > 0, b.open)
		return p, nil
	}
	head, _, err := s.readMasked(m, from, binaryProbe)
	if err != nil {
		return preview{}, err
	}
	if p.binary = binary(head); p.binary {
		p.text = binaryLine(p.end-from, head)
		return p, nil
	}
	head = headLines(head[:min(len(head), most/4)])
	start := max(0, more)
	start += tailLines(tail[start:])
	start += divided(tail, start)
	tail, at = tail[start:], at+int64(start)
	p.omitted = &Range{Offset: from + int64(len(head)), Bytes: at - from - int64(len(head))}
	first, a := m.clean(head, from > 0, true)
	last, c := m.clean(tail, true, b.open)
	p.cleaned = a || c
	p.text = lines(first, p.marker(id), last)
	return p, nil
}

// marker stands where output was omitted and names the call that shows it.
func (p preview) marker(id string) string {
	args, err := json.Marshal(p.next(id).Arguments)
	if err != nil {
		return err.Error() // strings and numbers always marshal
	}
	return fmt.Sprintf("[%s bytes omitted; see shell_output %s]", grouped(p.omitted.Bytes), args)
}

// next is the call that shows what was omitted; nil: nothing was.
func (p preview) next(id string) *arc.Next {
	if p.omitted == nil {
		return nil
	}
	return outputCall(id, p.omitted.Offset, new(int(min(p.omitted.Bytes, pageBytes))))
}

// headLines cuts b after its last whole line, unless that would cost half of it.
func headLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		return b[:i+1]
	}
	return b[:page.Whole(b)]
}

// tailLines is where the first whole line of b begins, unless that would cost
// half of it.
func tailLines(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)/2 {
		return i + 1
	}
	return tailStart(b)
}

// tailStart is where the first whole character of b begins.
func tailStart(b []byte) int {
	i := 0
	for i < len(b) && i < utf8.UTFMax-1 && !utf8.RuneStart(b[i]) {
		i++
	}
	return i
}

// lines joins texts so that each begins on a line of its own.
func lines(texts ...string) string {
	var out strings.Builder
	for _, t := range texts {
		if out.Len() > 0 && t != "" && !strings.HasSuffix(out.String(), "\n") {
			out.WriteByte('\n')
		}
		out.WriteString(t)
	}
	return out.String()
}

// binary reports whether the start of b is no text: it has a NUL, or more than
// 30 of 100 bytes are not UTF-8.
func binary(b []byte) bool {
	b = b[:min(len(b), binaryProbe)]
	if bytes.IndexByte(b, 0) >= 0 {
		return true
	}
	bad := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		i += n
	}
	return bad*10 > len(b)*3
}

// binaryLine says what there is to say of output that is no text.
func binaryLine(size int64, b []byte) string {
	return fmt.Sprintf("[binary output, %s bytes, beginning % x; send it to a file and look at it with a program]", grouped(size), b[:min(len(b), 16)])
}

// grouped writes 18233 as 18,233.
func grouped(n int64) string {
	digits := []byte(strconv.FormatInt(n, 10))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = slices.Insert(digits, i, ',')
	}
	return string(digits)
}
