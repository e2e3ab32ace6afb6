// Package ignore decides what git would leave out of a directory.
//
// # Overview
//
// [Parse] reads the patterns of one .gitignore. [Rules] are the patterns in force
// in one directory: its own and those of the directories above. Whoever walks a
// tree goes down with [Rules.Enter], asks [Rules.Ignored] for each entry, and does
// not go into a directory that is ignored: nothing below one can be brought back,
// as in git.
//
// All of git's pattern language is here: !, a trailing slash, a slash anywhere
// else, *, ?, classes with ranges and names, ** between slashes, escapes, and
// trailing spaces. Where git's behaviour is peculiar, so is this one; a test
// compares the two on random patterns. A user's own core.excludesFile is not
// consulted: what is hidden shall not depend on the machine.
//
// # Usage
//
//	rules := (&ignore.Rules{}).Enter("", ignore.Parse(rootFile))
//	if !rules.Ignored("build", true) {
//		below := rules.Enter("build", ignore.Parse(itsFile))
//	}
//
// # Trust
//
// Patterns are a stranger's. A decision takes at most the product of the lengths
// of pattern and path, whatever either holds.
//
// # Concurrency
//
// Nothing is changed once it is made, so all of it is safe for concurrent use.
//
// # Errors
//
// There are none: a malformed pattern matches nothing, as in git.
package ignore

import (
	"bytes"
	"strings"
)

// MaxFile is how much of one file of patterns is read, in bytes.
const MaxFile = 1 << 20

// Patterns are those of one file, in order. Nil has none.
type Patterns []pattern

// Parse reads a file of patterns; what is past MaxFile is left out.
func Parse(file []byte) Patterns {
	if len(file) > MaxFile {
		file = file[:bytes.LastIndexByte(file[:MaxFile], '\n')+1]
	}
	var all Patterns
	for line := range bytes.SplitSeq(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")), []byte("\n")) {
		text, _, _ := strings.Cut(string(bytes.TrimSuffix(line, []byte("\r"))), "\x00")
		if strings.HasPrefix(text, "#") {
			continue
		}
		if p, ok := parsePattern(trimSpaces(text)); ok {
			all = append(all, p)
		}
	}
	return all
}

// trimSpaces cuts trailing spaces, but for those behind a backslash.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			if i++; i >= len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}

// decide returns what the last pattern that matches says. The path relative to the
// directory of the file is below and name; name is its last element.
func (ps Patterns) decide(below, name string, dir bool) (ignored, decided bool) {
	path := ""
	for i := len(ps) - 1; i >= 0; i-- {
		p := &ps[i]
		if p.dirOnly && !dir {
			continue
		}
		text := name
		if !p.anywhere {
			if path == "" {
				path = below + name
			}
			text = path
		}
		if p.match(text) {
			return !p.negative, true
		}
	}
	return false, false
}

// Rules are the patterns in force in one directory. Nil ignores nothing, there
// and below.
type Rules struct {
	own   []Patterns
	up    *Rules // the nearest rules above that have patterns
	below string // the path from there, with a slash behind each name
}

// Enter returns the rules of the directory name below r, which has files of
// patterns of its own; a later file outranks an earlier one, and all of them
// outrank those above.
func (r *Rules) Enter(name string, files ...Patterns) *Rules {
	if r == nil {
		return nil
	}
	var own []Patterns
	for _, f := range files {
		if len(f) > 0 {
			own = append(own, f)
		}
	}
	if len(own) == 0 && len(r.own) == 0 && r.up == nil {
		return r // nothing here and nothing above
	}
	next := &Rules{own: own, up: r}
	if len(r.own) == 0 {
		next.up, next.below = r.up, r.below
	}
	if name != "" && next.up != nil {
		next.below += name + "/"
	}
	return next
}

// Ignored reports whether the entry name of r's directory is ignored. It takes
// for granted that the directory itself is not.
func (r *Rules) Ignored(name string, dir bool) bool {
	for below := ""; r != nil; r = r.up {
		for i := len(r.own) - 1; i >= 0; i-- {
			if ignored, decided := r.own[i].decide(below, name, dir); decided {
				return ignored
			}
		}
		if r.up != nil {
			below = r.below + below
		}
	}
	return false
}
