package proc

import "os"

// File makes a nameless file that holds text and is at its start: a script too
// long for a command line, or a standard input that needs no writer. It is gone
// when it has been closed everywhere.
func File(text string) (*os.File, error) {
	f, err := nameless()
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil { // which moves no position
		f.Close()
		return nil, err
	}
	return f, nil
}
