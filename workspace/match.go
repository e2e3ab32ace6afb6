package workspace

import (
	"bytes"
	"sort"
	"strings"
)

// A span is a run of bytes of a file.
type span struct{ start, end int }

// matches are where an edit's old string stands in a file.
type matches struct {
	count int    // overlapping ones included, so that "once" means once
	spans []span // what would be replaced: apart, from left to right
	loose bool   // line ends were taken as equal
}

// findMatches looks for old as it is; only if it is nowhere, with LF and CRLF
// taken as equal. All asks for every span, else the first few are enough.
func findMatches(file []byte, old string, all bool) matches {
	if m := findIn(file, []byte(old), all); m.count > 0 {
		// A CRLF is one line end: text that starts at its LF starts at its CR.
		// It stays with the match before if that one ends in it.
		done := 0
		for i, s := range m.spans {
			if file[s.start] == '\n' && s.start > done && file[s.start-1] == '\r' {
				m.spans[i].start--
			}
			done = s.end
		}
		return m
	}
	plainOld := bytes.ReplaceAll([]byte(old), crlf, newline)
	if !bytes.Contains(plainOld, newline) || !bytes.Contains(file, newline) {
		return matches{}
	}
	// In the file without the CRs of its CRLFs, offset k stands for k plus the CRs
	// that were dropped before it. A match that starts at an LF starts at its CR.
	plain := make([]byte, 0, len(file))
	var dropped []int // offsets in plain of the LFs that had a CR
	for i, c := range file {
		if c == '\r' && i+1 < len(file) && file[i+1] == '\n' {
			dropped = append(dropped, len(plain))
			continue
		}
		plain = append(plain, c)
	}
	m := findIn(plain, plainOld, all)
	for i, s := range m.spans {
		m.spans[i] = span{s.start + sort.SearchInts(dropped, s.start), s.end + sort.SearchInts(dropped, s.end)}
	}
	m.loose = true
	return m
}

// findIn counts overlapping matches; all wants only those apart.
func findIn(file, old []byte, all bool) (m matches) {
	step := 1
	if all {
		step = len(old)
	}
	for at := 0; m.count < maxCounted || all; at += step {
		i := bytes.Index(file[at:], old)
		if i < 0 {
			break
		}
		at += i
		m.count++
		if all || m.count == 1 {
			m.spans = append(m.spans, span{at, at + len(old)})
		}
	}
	return m
}

// maxCounted bounds the counting of matches, of which an edit wants one.
const maxCounted = 10_000

// maxLinesNamed bounds the lines that an error names.
const maxLinesNamed = 20

// splice replaces the spans of file. What is outside them stays, byte for byte.
func splice(file []byte, spans []span, old, new string) []byte {
	size := len(file)
	for _, s := range spans {
		size += len(new) - (s.end - s.start)
	}
	out := make([]byte, 0, size)
	done, mayBeCRLF := 0, bytes.Contains(file, crlf) && strings.Contains(new, "\n")
	e := eol{file: file, last: -1}
	for _, s := range spans {
		out = append(out, file[done:s.start]...)
		if mayBeCRLF {
			out = append(out, e.with(s, old, new)...)
		} else {
			out = append(out, new...)
		}
		done = s.end
	}
	return append(out, file[done:]...)
}

// An eol finds the line ends of the places in a file, which it is asked about
// from left to right.
type eol struct {
	file []byte
	last int // the last LF before done; -1: there is none
	done int

	crlfs, known bool // most line ends are CRLFs
}

// with gives the bare LFs of new the line end of the place they go to: that of
// the first line end within the span, else of the line before, else of most of
// the file. An edit of nothing but line ends is meant as it is.
func (e *eol) with(s span, old, new string) []byte {
	b := []byte(new)
	if bytes.Equal(plainText([]byte(old)), plainText(b)) || !e.isCRLF(s) {
		return b
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(b, crlf, newline), newline, crlf)
}

func (e *eol) isCRLF(s span) bool {
	if i := bytes.LastIndexByte(e.file[e.done:s.start], '\n'); i >= 0 {
		e.last = e.done + i
	}
	e.done = s.start
	at := e.last
	if i := bytes.IndexByte(e.file[s.start:s.end], '\n'); i >= 0 {
		at = s.start + i
	}
	if at >= 0 {
		return at > 0 && e.file[at-1] == '\r'
	}
	if !e.known {
		e.crlfs, e.known = 2*bytes.Count(e.file, crlf) > bytes.Count(e.file, newline), true
	}
	return e.crlfs
}
