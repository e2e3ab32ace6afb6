package shell

import "strings"

// pipeline reports whether the last of a command's lists has a | outside of quotes
// and comments, so that its exit code is that of a last stage. It reads as bash
// does as far as that takes no parser: the | of a case pattern or in a
// here-document counts.
func pipeline(command string) (piped bool) {
	var quote byte // the quotation that i is in
	ended := false // a list has ended, and nothing has followed yet
	for i := 0; i < len(command); i++ {
		c := command[i]
		if ended && quote == 0 && !strings.ContainsRune(" \t\n;#", rune(c)) {
			piped, ended = false, false
		}
		switch {
		case quote == '\'':
			if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case quote == '"':
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;&|(", command[i-1]) >= 0):
			for i+1 < len(command) && command[i+1] != '\n' {
				i++
			}
		case c == '|' && i+1 < len(command) && command[i+1] == '|':
			i++
		case c == '|' && i > 0 && command[i-1] == '>': // >| overwrites
		case c == '|':
			piped = true
		case c == ';', c == '\n':
			ended = true
		}
	}
	return piped
}
