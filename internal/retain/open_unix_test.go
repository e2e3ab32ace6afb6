//go:build unix

package retain

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Whoever can write to the state directory may put anything in a file's place.
func TestWhatIsNoFileIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{file: true, pipe: false, link: false, dir: false} {
		f, err := OpenFile(path)
		if (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		if err == nil {
			f.Close()
		}
	}
}
