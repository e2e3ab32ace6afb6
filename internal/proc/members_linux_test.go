package proc

import "testing"

func TestParseStat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		want       stat
		ok         bool
	}{
		{"a plain name", "12 (bash) S 1 12 11 0 -1 4 0 0 0 0 0 0 0 0 20 0 2 0 77 0", stat{state: 'S', ppid: 1, pgid: 12, sid: 11, flags: 4, threads: 2, began: 77}, true},
		{"a name made to mislead", "12 (x) Z 9 9 9) R 1 12 11 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 77 0", stat{state: 'R', ppid: 1, pgid: 12, sid: 11, flags: 4, threads: 1, began: 77}, true},
		{"cut short", "12 (bash) S 1 12 11", stat{}, false},
		{"no number", "12 (bash) S 1 x 11 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 77 0", stat{}, false},
		{"nothing", "", stat{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, ok := parseStat([]byte(c.line))
			if ok != c.ok || ok && s != c.want {
				t.Errorf("%q reads as %+v %v", c.line, s, ok)
			}
		})
	}
}

// Who was looked at while it exchanged its program carried no mark, and was left behind.
func TestAProcessBetweenTwoProgramsIsNotWithoutAnEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		s    stat
		want bool
	}{
		{"one that runs", stat{state: 'R', environ: 77}, false},
		{"between two programs", stat{state: 'R'}, true},
		{"one that is ending", stat{state: 'R', flags: exiting}, false},
		{"one that has ended", stat{state: 'Z', threads: 1}, false},
		{"a thread of the kernel", stat{state: 'S', flags: kernelThread}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.s.between(); got != c.want {
				t.Errorf("%+v: %v", c.s, got)
			}
		})
	}
}
