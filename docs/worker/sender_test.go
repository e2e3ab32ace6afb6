package worker

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// writes are what a sender's reader gets, a write at a time.
type writes chan []byte

func (w writes) Write(b []byte) (int, error) {
	w <- bytes.Clone(b)
	return len(b), nil
}

// numbers are the pages whose replies came in one write.
func numbers(t *testing.T, b []byte) (all []int) {
	t.Helper()
	for r := bytes.NewReader(b); r.Len() > 0; {
		var got reply
		if _, err := readFrame(r, &got); err != nil || got.Page == nil {
			t.Fatalf("%q holds %+v, %v", b, got, err)
		}
		all = append(all, got.Page.Number)
	}
	return all
}

func TestSender(t *testing.T) {
	t.Parallel()
	reply := func(n int) reply { return reply{Page: &page{Number: n}} }
	same := func(t *testing.T, got []int, want ...int) {
		t.Helper()
		if len(got) != len(want) || got[0] != want[0] {
			t.Errorf("pages %v came together, want %v", got, want)
		}
	}
	t.Run("what is held goes out with what is not", func(t *testing.T) {
		t.Parallel()
		out := make(writes, 2)
		s := &sender{out: out}
		s.held, _ = appendFrame(nil, reply(1), "one") // as if it had been held just now
		if err := s.send(reply(2), "two", false); err != nil {
			t.Fatal(err)
		}
		same(t, numbers(t, <-out), 1, 2)
	})
	t.Run("what is held goes out by itself after a while", func(t *testing.T) {
		t.Parallel()
		out := make(writes, 2)
		s := &sender{out: out}
		if err := s.send(reply(1), "one", true); err != nil {
			t.Fatal(err)
		}
		same(t, numbers(t, <-out), 1)
		if err := s.send(reply(2), "two", true); err != nil {
			t.Fatal(err)
		}
		same(t, numbers(t, <-out), 2)
	})
	t.Run("much is not held", func(t *testing.T) {
		t.Parallel()
		out := make(writes, 1)
		s := &sender{out: out}
		if err := s.send(reply(1), strings.Repeat("x", gatheredBytes), true); err != nil {
			t.Fatal(err)
		}
		select {
		case b := <-out:
			same(t, numbers(t, b), 1)
		default:
			t.Error("64 KiB are held")
		}
	})
	t.Run("a reply that is too large leaves the others whole", func(t *testing.T) {
		t.Parallel()
		out := make(writes, 2)
		s := &sender{out: out}
		if err := s.send(reply(1), strings.Repeat("x", maxFrame), false); !errors.Is(err, errFrame) {
			t.Errorf("16 MiB and more are sent, %v", err)
		}
		if err := s.send(reply(2), "two", false); err != nil {
			t.Fatal(err)
		}
		same(t, numbers(t, <-out), 2)
	})
	t.Run("a host that is gone is told of at once and later", func(t *testing.T) {
		t.Parallel()
		r, w := io.Pipe()
		r.Close()
		s := &sender{out: w}
		for n := range 2 {
			if err := s.send(reply(n), "", false); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("reply %d: %v", n, err)
			}
		}
		if err := s.flush(); !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
}
