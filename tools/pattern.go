package tools

import (
	"regexp"
	"regexp/syntax"
)

// maxPatterns is the size of all patterns of a schema: {1000} makes megabytes of
// a few bytes.
const maxPatterns = 100_000

// A pattern is a regular expression and its size, by which a match is paid for.
type pattern struct {
	*regexp.Regexp
	size int
}

// pattern compiles text. It is nil for what RE2 does not know, and for what is
// too large beside the schema's other patterns.
func (c *compiler) pattern(text string) *pattern {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	size := patternSize(re)
	if size > maxPatterns-c.patterns {
		return nil
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	c.patterns += size
	return &pattern{compiled, size}
}

// patternSize is about how many instructions re becomes once its repetitions are
// written out. It stops counting past maxPatterns.
func patternSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/8 // the ranges of a class
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(n+patternSize(sub), maxPatterns+1)
	}
	if re.Op == syntax.OpRepeat {
		n = min(n*max(re.Min+1, re.Max), maxPatterns+1)
	}
	return n
}
