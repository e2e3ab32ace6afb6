package smalldisk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestADiskIsFullAndForbidden(t *testing.T) {
	t.Parallel()
	if !Possible() {
		t.Skip("only root on Linux mounts a disk")
	}
	dir := t.TempDir()
	d, err := Mount(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Unmount()
	write := func() error { return os.WriteFile(filepath.Join(dir, "file"), make([]byte, 4096), 0o600) }
	for _, step := range []struct {
		name string
		do   func() error
		want error
	}{
		{"new", func() error { return nil }, nil},
		{"full", func() error { return errors.Join(os.Remove(filepath.Join(dir, "file")), d.Fill()) }, syscall.ENOSPC},
		{"with room again", d.Free, nil},
		{"forbidden", d.Forbid, syscall.EROFS},
		{"allowed again", d.Allow, nil},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if err := write(); !errors.Is(err, step.want) {
			t.Errorf("%s: got %v, want %v", step.name, err, step.want)
		}
	}
}
