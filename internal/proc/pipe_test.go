//go:build linux

package proc

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Hosts keep what they know of a command for a day; a MiB of each would add up.
func TestAPipeThatHasEndedKeepsNoBuffer(t *testing.T) {
	t.Parallel()
	p, w, err := NewPipe(func([]byte) {})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	<-p.EOF()
	p.Drain() // ends at once
	p.Close()
	if p.buf != nil {
		t.Errorf("it keeps %d bytes", len(p.buf))
	}
}

func TestAPipeThatIsReadLater(t *testing.T) {
	t.Parallel()
	t.Run("has what was written before, up to its size, in order", func(t *testing.T) {
		t.Parallel()
		var said strings.Builder
		p, w, err := MakePipe(func(b []byte) { said.Write(b) })
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		room, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		early := strings.Repeat("x", room)
		if _, err := w.WriteString(early); err != nil {
			t.Fatal(err)
		}
		p.Begin()
		if _, err := w.WriteString("late"); err != nil {
			t.Fatal(err)
		}
		w.Close()
		<-p.EOF()
		if said.String() != early+"late" {
			t.Errorf("of %d bytes, %d came", room+len("late"), said.Len())
		}
	})
	t.Run("can be closed while nobody has written", func(t *testing.T) {
		t.Parallel()
		p, w, err := MakePipe(func([]byte) {})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		p.Begin()
		p.Close()
		if _, err := w.WriteString("x"); err == nil {
			t.Error("somebody reads it still")
		}
	})
}
