package proc

import "testing"

func TestParseStat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		state      byte
		ppid, pgid int
		ok         bool
	}{
		{"a plain name", "12 (bash) S 1 12 11 0 -1", 'S', 1, 12, true},
		{"a name made to mislead", "12 (x) Z 9 9 9) R 1 12 11 0", 'R', 1, 12, true},
		{"cut short", "12 (bash) S 1", 0, 0, 0, false},
		{"nothing", "", 0, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, ok := parseStat([]byte(c.line))
			if s != (stat{c.state, c.ppid, c.pgid}) || ok != c.ok {
				t.Errorf("%q reads as %+v %v", c.line, s, ok)
			}
		})
	}
}
