//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"io"
	"testing"
	"time"
)

// slowly is a connection of a host that loses its processor whenever it has written a
// message of that opcode.
type slowly struct {
	to     io.Writer
	opcode byte
	late   time.Duration
}

func (s slowly) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	if p[0] == s.opcode {
		time.Sleep(s.late)
	}
	return n, err
}

// A server repeats a key that is down for longer than half a second, also if only the
// host was too slow to tell that it is up again.
func TestASlowHostTypesNoCharacterTwice(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	w := start(t, v)
	d := connect(t, v)
	d.wire.net.mu.Lock()
	d.wire.net.to = slowly{d.wire.net.to, d.xtest, time.Second}
	d.wire.net.mu.Unlock()
	if err := d.Text(t.Context(), "aB漢"); err != nil {
		t.Fatal(err)
	}
	if got := w.Text("aB漢"); got != "aB漢" {
		t.Errorf("%q arrived", got)
	}
}

func TestHowManyProgramsWantAProcessor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, load string
		processors int
		want       int
	}{
		{"nobody but us", "0.69 3.26 6.80 1/92 29369\n", 2, 1},
		{"as many as there are processors", "0.69 3.26 6.80 3/92 29369\n", 2, 1},
		{"sixteen others", "3.72 2.51 5.27 17/143 7789\n", 2, 8},
		{"something that is no load", "busy\n", 2, 1},
		{"a field that is no number", "1 2 3 x/y 5\n", 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := crowdOf([]byte(c.load), c.processors); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
