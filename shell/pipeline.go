package shell

import "strings"

// pipeline reports whether the last of a command's lists has a | outside of quotes
// and comments, so that its exit code is that of a last stage. It reads as bash
// does as far as that takes no parser: the | of a case pattern, of [[ ]] or in a
// here-document counts.
func pipeline(command string) (piped bool) {
	var quote byte // the quotation that i is in; $: that of $'…'
	ended := false // a list has ended, and nothing has followed yet
	wants := false // an operator has come that goes on in the next line
	for i := 0; i < len(command); i++ {
		c := command[i]
		blank := strings.IndexByte(" \t\n;#", c) >= 0
		if ended && quote == 0 && !blank {
			piped, ended = false, false
		}
		if wants && (quote != 0 || !blank) {
			wants = false
		}
		switch {
		case quote == '\'' || quote == '$' && c == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
		case quote == '$':
		case quote == '"':
			if c == quote {
				quote = 0
			}
		case c == '$' && strings.HasPrefix(command[i+1:], "'"):
			quote = c
			i++
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;&|(", command[i-1]) >= 0):
			for i+1 < len(command) && command[i+1] != '\n' {
				i++
			}
		case c == '|' && i > 0 && command[i-1] == '>': // >| overwrites
		case c == '|' && strings.HasPrefix(command[i+1:], "|"), c == '&' && strings.HasPrefix(command[i+1:], "&"):
			wants = true
			i++
		case c == '|':
			piped, wants = true, true
			if strings.HasPrefix(command[i+1:], "&") {
				i++
			}
		case c == '&' && redirects(command, i):
		case c == ';', c == '&', c == '\n' && !wants:
			ended = true
		}
	}
	return piped
}

// redirects reports whether the & at i belongs to a redirection, as of 2>&1 and &>x.
func redirects(command string, i int) bool {
	return i > 0 && strings.IndexByte("<>", command[i-1]) >= 0 || strings.HasPrefix(command[i+1:], ">")
}
