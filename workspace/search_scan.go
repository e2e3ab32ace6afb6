package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/arcseat/arc/workspace/internal/fold"
)

const scanBuffer = 256 << 10

// A scanner searches one file after another, with one buffer.
type scanner struct {
	matcher *fold.Matcher
	finder  *fold.Finder
	buf     []byte
	into    *hits // of all files
}

func newScanner(m *fold.Matcher) *scanner {
	return &scanner{matcher: m, finder: m.Finder(), buf: make([]byte, scanBuffer), into: &hits{}}
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
	s := scan{scanner: sc, found: found, after: after, limit: limit, before: *sc.into}
	err := s.read(ctx, f)
	found.hits = sc.into.behind(s.before)
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
		if eof || s.full() {
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
	before       hits // of other files

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
	for at := 0; at < len(b) && !s.full(); {
		start, end := s.finder.Next(at)
		if start < 0 {
			if last {
				s.found.uncounted = true
				return
			}
			s.found.scanned += countLines(b[at:])
			return
		}
		lineStart := at + lastNewline(b[at:start]) + 1
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

// full reports whether the file has as many matches as are wanted.
func (s *scan) full() bool { return len(s.into.at)-len(s.before.at) >= s.limit }

// add keeps what is shown of a line; see excerpt.
func (s *scan) add(line []byte, start, end int, cutBefore, cutAfter bool) {
	m := s.into
	m.texts = excerpt(m.texts, line, start, end, cutBefore, cutAfter)
	m.at = append(m.at, hit{line: s.found.scanned, end: len(m.texts) - len(s.before.texts)})
}
