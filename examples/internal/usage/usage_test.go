package usage

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"testing"
)

func TestWrongUseIsALineAndHelpIsForWhoAsks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		err  error
		code int
		want string
	}{
		"an unknown flag":    {[]string{"-x"}, nil, 2, "prog: flag provided but not defined: -x; -h says more\n"},
		"a value of no kind": {[]string{"-n", "a"}, nil, 2, "prog: invalid value \"a\" for flag -n: parse error; -h says more\n"},
		"help":               {[]string{"-h"}, nil, 0, "usage: prog\n  -n int\n    \ta number\n"},
		"what else is wrong": {nil, errors.New("say\x1b more"), 2, "prog: say· more; -h says more\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fs := Flags("prog")
			fs.Int("n", 0, "a number")
			err := fs.Parse(tt.args)
			if tt.err != nil {
				err = tt.err
			}
			var out bytes.Buffer
			code := Told(&out, fs, err, func(fs *flag.FlagSet) {
				fmt.Fprintln(fs.Output(), "usage: prog")
				fs.PrintDefaults()
			})
			if code != tt.code || out.String() != tt.want {
				t.Errorf("got %d, %q, want %d, %q", code, out.String(), tt.code, tt.want)
			}
		})
	}
}
