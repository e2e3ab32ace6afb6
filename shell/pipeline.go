package shell

// pipeline reports whether a command has a | outside of quotes and comments, so
// that its exit code is that of a last stage. It reads as bash does as far as
// that takes no parser: the | of a case pattern or in a here-document counts.
func pipeline(command string) bool {
	var quote byte // the quotation that i is in
	for i := 0; i < len(command); i++ {
		c := command[i]
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
		case c == '#' && (i == 0 || command[i-1] == ' ' || command[i-1] == '\n' || command[i-1] == ';'):
			for i+1 < len(command) && command[i+1] != '\n' {
				i++
			}
		case c == '|' && i+1 < len(command) && command[i+1] == '|':
			i++
		case c == '|' && i > 0 && command[i-1] == '>': // >| overwrites
		case c == '|':
			return true
		}
	}
	return false
}
