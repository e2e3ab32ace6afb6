// Package usage is how the programs take their flags: what is wrong with them is told
// in a line, and the whole list is for -h.
package usage

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/arcseat/arc/examples/internal/paint"
)

// Exit codes of what Told tells.
const (
	exitHelp  = 0
	exitWrong = 2
)

// Flags is a set of flags that says nothing by itself.
func Flags(program string) *flag.FlagSet {
	fs := flag.NewFlagSet(program, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// Told tells what parsing fs, or looking at what was parsed, came to: the help that
// was asked for, or in a line what is wrong. It returns the exit code.
func Told(w io.Writer, fs *flag.FlagSet, err error, help func(*flag.FlagSet)) int {
	if errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(w)
		help(fs)
		return exitHelp
	}
	fmt.Fprintf(w, "%s: %s; -h says more\n", fs.Name(), paint.Clean(err.Error()))
	return exitWrong
}
