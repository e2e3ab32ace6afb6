package docs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/arcseat/arc"
)

type directory string

func (f directory) OpenFile(_ context.Context, path string) (*os.File, error) {
	return os.Open(filepath.Join(string(f), path))
}

// A busyContext does something whenever it is asked whether it has ended, which a
// copy does before each part.
type busyContext struct {
	context.Context
	do func()
}

func (c busyContext) Err() error {
	c.do()
	return c.Context.Err()
}

func TestAFileThatIsWrittenToWhileItIsCopied(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.pdf")
	appendTo := func() {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err == nil {
			_, err = f.WriteString("more of it\n")
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
	appendTo()
	l := New(directory(dir), nil, &Options{TempDir: temp, MaxSize: 1 << 20})
	t.Run("once is tried again", func(t *testing.T) {
		left := 1
		v, err := l.look(busyContext{t.Context(), func() {
			if left > 0 {
				left--
				appendTo()
			}
		}}, "a.pdf", false)
		if err != nil {
			t.Fatal(err)
		}
		defer v.copy.Close()
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(whole)
		if v.sha256 != hex.EncodeToString(sum[:]) || v.size != int64(len(whole)) {
			t.Errorf("the version is %s of %d bytes", v.sha256, v.size)
		}
		if _, err := v.copy.file.WriteString("x"); err == nil {
			t.Error("the copy can be written to")
		}
	})
	t.Run("for ever is refused", func(t *testing.T) {
		asked := 0
		_, err := l.look(busyContext{t.Context(), func() {
			if asked++; asked%2 == 1 { // before the content and not before its end
				appendTo()
			}
		}}, "a.pdf", false)
		if !errors.Is(err, ChangedDuringRead) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("one that grows past the limit is too large", func(t *testing.T) {
		l := New(directory(dir), nil, &Options{TempDir: temp, MaxSize: 2000})
		_, err := l.look(busyContext{t.Context(), appendTo}, "a.pdf", false)
		for range 400 {
			if err == nil || errors.Is(err, ChangedDuringRead) {
				_, err = l.look(busyContext{t.Context(), appendTo}, "a.pdf", false)
			}
		}
		if !errors.Is(err, arc.TooLarge) {
			t.Errorf("the error is %v", err)
		}
	})
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAHashIsKnownOnlyOfAFileThatRests(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := changeTime(info); !ok {
		t.Skip("this system tells no time of change")
	}
	h := newHashes()
	h.put("a", info, info.ModTime().Add(time.Second), "young")
	if got := h.get("a", info); got != "" {
		t.Errorf("of a file that was just written the hash is %q", got)
	}
	h.put("a", info, info.ModTime().Add(time.Minute), "rested")
	if got := h.get("a", info); got != "rested" {
		t.Errorf("of a file that rested the hash is %q", got)
	}
	t.Run("and not after its times were set back", func(t *testing.T) {
		if err := os.WriteFile(path, []byte("y"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.get("a", after); got != "" {
			t.Errorf("it is still %q", got)
		}
	})
	t.Run("nor of another file of that name", func(t *testing.T) {
		if got := h.get("b", info); got != "" {
			t.Errorf("it is %q", got)
		}
	})
}
