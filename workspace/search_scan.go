package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/arcseat/arc/workspace/internal/fold"
)

const (
	scanBuffer = 256 << 10
	// aside is how many bytes on either side of a match may be shown.
	aside = maxLineText * utf8.UTFMax
)

// A match is a matching line as it is shown.
type match struct {
	MatchLine
	repaired bool // it is not UTF-8
}

// A scanner searches one file after another, with one buffer.
type scanner struct {
	matcher *fold.Matcher
	finder  *fold.Finder
	buf     []byte
	lines   []match // of the file under way
	texts   []byte  // of all of them
	ends    []int   // where each of them ends
}

func newScanner(m *fold.Matcher) *scanner {
	return &scanner{matcher: m, finder: m.Finder(), buf: make([]byte, scanBuffer)}
}

// named opens a file of a branch and searches it; see file.
func (sc *scanner) named(ctx context.Context, in branch, found *finding, after, limit int) error {
	f, err := in.open(found.name)
	switch {
	case err == nil:
		defer f.Close()
		return sc.file(ctx, f, found, after, limit)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotRegular):
		found.what = isGone
	default:
		found.what = isUnreadable
	}
	return nil
}

// file puts up to limit matching lines behind line after into found, and how far
// it came. Its error is that of ctx: a file that cannot be read is a finding.
func (sc *scanner) file(ctx context.Context, f io.Reader, found *finding, after, limit int) error {
	sc.lines, sc.texts, sc.ends = sc.lines[:0], sc.texts[:0], sc.ends[:0]
	s := scan{scanner: sc, found: found, after: after, limit: limit}
	err := s.read(ctx, f)
	if len(sc.lines) > 0 {
		found.lines = slices.Clone(sc.lines)
		all, start := string(sc.texts), 0 // one string for all lines
		for i, end := range sc.ends {
			found.lines[i].Text = all[start:end]
			start = end
		}
	}
	return err
}

// read looks through f.
func (s *scan) read(ctx context.Context, f io.Reader) error {
	found := s.found
	for first, held := true, 0; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(f, s.buf[held:])
		eof := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !eof {
			found.what = isUnreadable
			if errors.Is(err, errNotRegular) {
				found.what = isGone
			}
			return nil
		}
		b := s.buf[:held+n]
		if first {
			head := b[:min(len(b), binaryHead)]
			if found.what = kindByHead(head); found.what != isText {
				return nil
			}
			b = bytes.TrimPrefix(b, bom)
		}
		rest := s.pass(b, eof)
		if eof || len(s.scanner.lines) >= s.limit {
			return nil
		}
		held = copy(s.buf, rest)
	}
}

func kindByHead(head []byte) fileKind {
	switch {
	case utf16Guess(head) != "":
		return isUTF16
	case bytes.IndexByte(head, 0) >= 0:
		return isBinary
	}
	return isText
}

// A scan is where a scanner stands in a file.
type scan struct {
	*scanner
	found        *finding
	after, limit int

	cut     bool // the line that the buffer begins in began before it
	discard bool // and nothing more of it is of interest
}

// pass looks through b and returns what must be seen again with what follows:
// the last line, if its end is not there yet, or as much of it as a match and its
// surroundings may need.
func (s *scan) pass(b []byte, eof bool) (rest []byte) {
	if s.discard {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			if eof {
				s.found.scanned++
			}
			return nil
		}
		s.discard, s.cut = false, false
		s.found.scanned++
		b = b[end+1:]
	}
	whole := bytes.LastIndexByte(b, '\n') + 1
	if eof {
		whole = len(b)
	}
	if whole > 0 {
		s.lines(b[:whole], eof)
		s.cut = false
	}
	if rest = b[whole:]; whole > 0 || len(b) < len(s.buf)/2 {
		return rest
	}
	return s.long(rest)
}

// lines looks through whole lines; last says that they are the file's last.
func (s *scan) lines(b []byte, last bool) {
	for s.found.scanned < s.after && len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			end = len(b) - 1
		}
		b = b[end+1:]
		s.found.scanned++
		s.cut = false
	}
	s.finder.Reset(b)
	for at := 0; at < len(b) && len(s.scanner.lines) < s.limit; {
		start, end := s.finder.Next(at)
		if start < 0 {
			if last {
				s.found.uncounted = true
				return
			}
			s.found.scanned += countLines(b[at:])
			return
		}
		lineStart := at + bytes.LastIndexByte(b[at:start], '\n') + 1
		lineEnd := len(b)
		if n := bytes.IndexByte(b[end:], '\n'); n >= 0 {
			lineEnd = end + n
		}
		s.found.scanned += bytes.Count(b[at:lineStart], newline) + 1
		line := bytes.TrimSuffix(b[lineStart:lineEnd], []byte("\r"))
		s.add(line, start-lineStart, min(end-lineStart, len(line)), s.cut && lineStart == 0, false)
		at = lineEnd + 1
		s.cut = false
	}
}

// long looks through a part of a line that is longer than the buffer.
func (s *scan) long(b []byte) (rest []byte) {
	if s.found.scanned < s.after {
		s.discard = true
		return nil
	}
	start, end := s.matcher.Index(b)
	if start >= 0 && end+aside <= len(b) {
		s.found.scanned++
		s.add(b, start, end, s.cut, true)
		s.found.scanned-- // until its end is seen
		s.discard = true
		return nil
	}
	s.cut = true
	return b[len(b)-s.matcher.MaxLen()-2*aside:]
}

// add keeps what is shown of a line; see excerpt.
func (s *scan) add(line []byte, start, end int, cutBefore, cutAfter bool) {
	sc, m := s.scanner, match{MatchLine: MatchLine{Line: s.found.scanned}}
	from := len(sc.texts)
	sc.texts = excerpt(sc.texts, line, start, end, cutBefore, cutAfter)
	if text := sc.texts[from:]; !utf8.Valid(text) {
		m.repaired = true
		sc.texts = append(sc.texts[:from], bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))...)
	}
	sc.lines, sc.ends = append(sc.lines, m), append(sc.ends, len(sc.texts))
}

// excerpt appends to dst what is shown of a line that matches at [start, end): all
// of it, or maxLineText characters with the match among them. cutBefore and cutAfter
// say that the line goes on beyond what is there of it.
func excerpt(dst, line []byte, start, end int, cutBefore, cutAfter bool) []byte {
	if !cutBefore && !cutAfter && (len(line) <= maxLineText || len(line) <= aside && utf8.RuneCount(line) <= maxLineText) {
		return append(dst, line...)
	}
	from := 0
	if cutBefore || end > aside || utf8.RuneCount(line[:end]) > maxLineText {
		from = back(line, start, max(0, maxLineText-utf8.RuneCount(line[start:end]))/2)
	}
	to := from
	for n := 0; n < maxLineText && to < len(line); n++ {
		_, size := utf8.DecodeRune(line[to:])
		to += size
	}
	if to == len(line) {
		from = back(line, to, maxLineText)
	}
	if from > 0 || cutBefore {
		dst = append(dst, "…"...)
	}
	dst = append(dst, line[from:to]...)
	if to < len(line) || cutAfter {
		dst = append(dst, "…"...)
	}
	return dst
}

// back is n characters before at.
func back(b []byte, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:at])
		at -= size
	}
	return at
}
