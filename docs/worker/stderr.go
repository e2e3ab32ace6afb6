package worker

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// keptStderr is how much of the end of a worker's standard error is kept, in
// bytes: a library may log without end.
const keptStderr = 8 << 10

// outOfMemory is what a worker says that has used up its memory.
const outOfMemory = "arc: out of memory"

// memorySigns are what a program says that the system has refused memory: Go's
// run-time, the C++ one, a sanitizer, and a thread that cannot get a stack.
var memorySigns = []string{outOfMemory, "out of memory", "cannot allocate memory", "cannot map pages", "Cannot allocate memory", "bad_alloc", "failed to allocate", "pthread_create failed", "failed to create new OS thread"}

// stderr keeps the end of what a worker said there, and turns lines into
// warnings. It is written to from the goroutine of a pipe.
type stderr struct {
	explain func(line string) string

	mu     sync.Mutex
	tail   []byte
	line   []byte // the last one, as far as it has come
	words  []string
	fresh  int // how many of words take has not returned
	memory bool
}

func (s *stderr) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, b[max(0, len(b)-keptStderr):]...)
	if n := len(s.tail) - keptStderr; n > 0 {
		s.tail = append(s.tail[:0], s.tail[n:]...)
	}
	for len(b) > 0 {
		part, rest, whole := bytes.Cut(b, []byte("\n"))
		s.line = append(s.line, part[:min(len(part), max(0, 512-len(s.line)))]...)
		if whole {
			s.read(string(s.line))
			s.line = s.line[:0]
		}
		b = rest
	}
}

func (s *stderr) read(line string) {
	if line == "" {
		return
	}
	s.memory = s.memory || slices.ContainsFunc(memorySigns, func(sign string) bool { return strings.Contains(line, sign) })
	if s.explain == nil {
		return
	}
	w := s.explain(line)
	if w == MemoryLimit {
		s.memory = true
		return
	}
	if isWord(w) && len(s.words) < maxWarnings && !slices.Contains(s.words, w) {
		s.words = append(s.words, w)
	}
}

// take returns the warnings that have come since the last take.
func (s *stderr) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := slices.Clone(s.words[s.fresh:])
	s.fresh = len(s.words)
	return w
}

// end returns what was said last, and whether it was that memory ran out.
func (s *stderr) end() (tail string, memory bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read(string(s.line)) // a process that dies ends no line
	return string(s.tail), s.memory
}
