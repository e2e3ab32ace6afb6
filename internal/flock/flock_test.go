package flock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/arcseat/arc/internal/flock"
)

func TestOneHoldsALockAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	try := func(f *os.File, want bool) {
		t.Helper()
		if free, err := flock.Try(f); err != nil || free != want {
			t.Errorf("it is free: %v, %v; want %v", free, err, want)
		}
	}
	shared := func(f *os.File, want bool) {
		t.Helper()
		if free, err := flock.TryShared(f); err != nil || free != want {
			t.Errorf("it can be shared: %v, %v; want %v", free, err, want)
		}
	}
	a, b := open(), open()
	try(a, true)
	try(b, false)
	shared(b, false)
	if err := flock.Release(a); err != nil {
		t.Fatal(err)
	}
	try(b, true)
	b.Close()
	shared(a, true)
	c := open()
	shared(c, true)
	c.Close()
	try(a, true)
}
