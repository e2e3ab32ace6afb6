package shell

import (
	"bytes"
	"slices"
	"strings"
)

// What counts as a secret, and what as a piece of one.
const (
	shortestSecret = 4 // bytes; a shorter value would blot out words that are none
	shortestLine   = 8 // of a secret of many lines, as a key file is
	shortestPiece  = 4 // at an edge beyond which nothing is known; less says little
)

// A mask blots out secrets: each of their bytes becomes an asterisk, so that offsets
// stay what they are, and line ends stay. Occurrences may overlap. Whether a byte is
// covered depends on what stands around it alone, never on where a page begins. The
// zero value covers nothing.
type mask struct {
	values  [][]byte
	longest int
}

// newMask takes the values that the host calls secret. The lines of one that has many
// are secret by themselves: they are often shown indented.
func newMask(secrets []string) mask {
	var m mask
	add := func(v string, shortest int) {
		if len(v) < shortest || slices.ContainsFunc(m.values, func(b []byte) bool { return string(b) == v }) {
			return
		}
		m.values = append(m.values, []byte(v))
		m.longest = max(m.longest, len(v))
	}
	for _, s := range secrets {
		add(s, shortestSecret)
		if strings.ContainsAny(s, "\r\n") {
			for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\r' || r == '\n' }) {
				add(strings.TrimSpace(line), shortestLine)
			}
		}
	}
	return m
}

// around is how far one has to look beyond a byte to know whether it is covered.
func (m mask) around() int { return max(0, m.longest-1) }

// cover covers the secrets in b where they stand. Where cutBefore or cutAfter is true,
// nobody knows what stood beyond that edge of b, and what may be a piece of a secret
// is covered as well.
func (m mask) cover(b []byte, cutBefore, cutAfter bool) {
	covered := make([]bool, len(b))
	blot := func(from, to int) {
		for i := from; i < to; i++ {
			covered[i] = b[i] != '\n' && b[i] != '\r'
		}
	}
	for _, v := range m.values {
		for at := 0; ; at++ {
			i := bytes.Index(b[at:], v)
			if i < 0 {
				break
			}
			at += i
			blot(at, at+len(v))
		}
	}
	if cutBefore {
		blot(0, m.rest(b))
	}
	if cutAfter {
		blot(len(b)-m.begun(b, shortestPiece), len(b))
	}
	for i := range b {
		if covered[i] {
			b[i] = '*'
		}
	}
}

// text covers the secrets in s.
func (m mask) text(s string, cutBefore, cutAfter bool) string {
	if m.longest == 0 {
		return s
	}
	b := []byte(s)
	m.cover(b, cutBefore, cutAfter)
	return string(b)
}

// clean is [clean], and covers the secrets that escape sequences had divided.
func (m mask) clean(b []byte, cutBefore, cutAfter bool) (string, bool) {
	text, cleaned := clean(b)
	return m.text(text, cutBefore, cutAfter), cleaned
}

// begun is the length of the longest end of b, of at least shortest bytes, with which a
// secret begins that is longer.
func (m mask) begun(b []byte, shortest int) int {
	longest := 0
	for _, v := range m.values {
		for n := min(len(b), len(v)-1); n >= max(shortest, longest+1); n-- {
			if bytes.HasSuffix(b, v[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// rest is the length of the longest beginning of b with which a longer secret ends.
func (m mask) rest(b []byte) int {
	longest := 0
	for _, v := range m.values {
		for n := min(len(b), len(v)-1); n >= max(shortestPiece, longest+1); n-- {
			if bytes.HasPrefix(b, v[len(v)-n:]) {
				longest = n
			}
		}
	}
	return longest
}

// maskOf is the mask of this moment.
func maskOf(secrets func() []string) mask {
	if secrets == nil {
		return mask{}
	}
	return newMask(secrets())
}

func (s *Shell) mask() mask { return maskOf(s.secrets) }

func (s *spool) mask() mask { return maskOf(s.secrets) }

// readMasked is read with the secrets covered. While more may come it holds back an end
// of the output that may be the beginning of a secret.
func (s *spool) readMasked(m mask, off int64, n int) ([]byte, bounds, error) {
	p, b, err := s.read(off, n+m.around())
	if err != nil || len(p) == 0 || m.longest == 0 {
		return p, b, err
	}
	gap := b.dropped() > 0
	start := max(0, off-int64(m.around()))
	if gap && off >= b.tail {
		start = max(start, b.tail)
	}
	lead, _, err := s.read(start, int(off-start))
	if err != nil {
		return nil, b, err
	}
	end := off + int64(len(p))
	whole := slices.Concat(lead, p)
	known := len(lead) == int(off-start) // else the gap has reached it in between
	held := 0
	if b.open && end == b.total {
		held = m.begun(whole, 1)
	}
	m.cover(whole, !known || gap && start == b.tail, gap && end == b.head)
	whole = whole[len(lead):max(len(lead), len(whole)-held)]
	return whole[:min(n, len(whole))], b, nil
}

// lastMasked is last with the secrets covered. It holds back as readMasked does.
func (s *spool) lastMasked(m mask, n int) ([]byte, int64, bounds, error) {
	p, at, b, err := s.last(n + m.around())
	if err != nil || m.longest == 0 {
		return p, at, b, err
	}
	held := 0
	if b.open {
		held = m.begun(p, 1)
	}
	m.cover(p, b.dropped() > 0 && at == b.tail, false)
	p = p[:len(p)-held]
	extra := min(max(0, b.total-int64(n)-at), int64(len(p)))
	return p[extra:], at + extra, b, nil
}
