package workspace

import (
	"bytes"
	"unicode/utf8"

	"github.com/arcseat/arc/internal/page"
)

// Limits of a slice.
const (
	sliceLines = 2000
	// sliceRaw is enough raw bytes for any slice: the text, and a CR for each line
	// that its CRLF loses.
	sliceRaw = maxBody + sliceLines + 64
)

// A slicer takes a whole file, piece by piece, keeps the raw bytes of one slice
// and counts the rest.
type slicer struct {
	startLine, startChar int

	phase   phase
	line    int // the line that the next byte belongs to, while seeking
	skipped int // characters of startLine that were passed
	raw     []byte
	rawAt   int64 // offset of raw in the file

	at      int64 // offset of the next byte that is fed
	size    int64
	sha256  SHA256
	lf      int // lines that end in LF, CRLF among them
	crlf    int
	open    bool // the last line has no end
	bom     bool
	invalid bool // some bytes are not UTF-8
	binary  bool
	pdf     bool   // it begins as a PDF file
	utf16   string // which kind, by the file's first two bytes; empty: none
	first   byte   // of them
}

type phase uint8

const (
	seeking    phase = iota // the start line
	skipping                // characters of it
	collecting              // the slice
	beyond                  // the start line has fewer characters
)

func newSlicer(startLine, startChar int) *slicer {
	return &slicer{startLine: startLine, startChar: startChar, line: 1}
}

// feed takes b, which goes on where the last call stopped, and returns how much
// of it was used. What is left, a few bytes, must come again at the front of the
// next call: a character or a CRLF may be cut there.
func (s *slicer) feed(b []byte, eof bool) (used int) {
	if !eof {
		b = b[:page.Whole(b)]
		if n := len(b); n > 0 && b[n-1] == '\r' {
			b = b[:n-1]
		}
	}
	if used = len(b); used == 0 && !eof {
		return 0
	}
	if s.at == 0 && bytes.HasPrefix(b, bom) {
		s.bom = true
		s.at += int64(len(bom))
		b = b[len(bom):]
	}
	s.count(b)
	rest := b
	if s.phase == seeking {
		rest = s.seek(rest)
	}
	if s.phase == skipping {
		rest = s.skip(rest)
	}
	if s.phase == collecting {
		if s.raw == nil {
			s.rawAt = s.at + int64(len(b)-len(rest))
			s.raw = []byte{}
		}
		s.raw = append(s.raw, rest[:min(len(rest), sliceRaw-len(s.raw))]...)
	}
	s.at += int64(len(b))
	return used
}

// seek passes the lines before the start line.
func (s *slicer) seek(b []byte) []byte {
	if n := bytes.Count(b, newline); s.line+n < s.startLine {
		s.line += n
		return nil
	}
	for ; s.line < s.startLine; s.line++ {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	s.phase = skipping
	return b
}

// skip passes the characters of the start line before the first one to show.
func (s *slicer) skip(b []byte) []byte {
	for len(b) > 0 && s.skipped < s.startChar {
		if b[0] == '\n' || bytes.HasPrefix(b, crlf) {
			s.phase = beyond
			return nil
		}
		_, n := utf8.DecodeRune(b)
		b = b[n:]
		s.skipped++
	}
	if s.skipped == s.startChar {
		s.phase = collecting
	}
	return b
}

// count keeps what is said of the whole file.
func (s *slicer) count(b []byte) {
	if len(b) == 0 {
		return
	}
	s.open = b[len(b)-1] != '\n'
	s.lf += bytes.Count(b, newline)
	if bytes.IndexByte(b, '\r') >= 0 {
		s.crlf += bytes.Count(b, crlf)
	}
	s.invalid = s.invalid || !utf8.Valid(b)
}

func (s *slicer) totalLines() int {
	if s.open {
		return s.lf + 1
	}
	return s.lf
}

func (s *slicer) eol() string {
	switch {
	case s.lf == 0:
		return "none"
	case s.crlf == 0:
		return "lf"
	case s.crlf == s.lf:
		return "crlf"
	}
	return "mixed"
}

// missing reports whether the file ends before the place where the slice starts.
func (s *slicer) missing() bool {
	switch s.phase {
	case collecting:
		return false
	case seeking:
		return s.startLine > s.totalLines()+1 || s.startChar > 0
	}
	return true
}

// cut returns the text of the slice, CRLF as LF, and how many raw bytes it
// stands for.
func (s *slicer) cut() (text []byte, used int) {
	for lines := 0; used < len(s.raw) && lines < sliceLines; lines++ {
		raw := s.raw[used:]
		if end := bytes.IndexByte(raw, '\n'); end >= 0 {
			raw = raw[:end+1]
		}
		shown := raw
		if bytes.HasSuffix(raw, crlf) {
			shown = append(raw[:len(raw)-2:len(raw)-2], '\n')
		}
		if len(text)+len(shown) > maxBody {
			if lines == 0 {
				used = page.Cut(shown, maxBody)
				text = append(text, shown[:used]...)
			}
			break
		}
		text = append(text, shown...)
		used += len(raw)
	}
	return text, used
}
