//go:build linux

package proc

import "testing"

// Hosts keep what they know of a command for a day; 128 KiB of each would add up.
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
