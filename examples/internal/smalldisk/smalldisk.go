// Package smalldisk gives tests a disk that they can fill and forbid to write. It
// takes root on Linux, who may mount one; elsewhere [Possible] is false.
package smalldisk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Size of a disk in bytes.
const Size = 8 << 20

// A Disk is mounted on a directory until it is unmounted.
type Disk struct{ dir string }

// Possible reports whether this process can mount a disk.
func Possible() bool {
	dir, err := os.MkdirTemp("", "disk-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	d, err := Mount(dir)
	return err == nil && d.Unmount() == nil
}

// Mount mounts an empty disk on dir, which it makes if it is missing.
func Mount(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := mount(dir); err != nil {
		return nil, err
	}
	return &Disk{dir}, nil
}

func (d *Disk) filler() string { return filepath.Join(d.dir, "filler") }

// Fill leaves no room on the disk.
func (d *Disk) Fill() error {
	f, err := os.OpenFile(d.filler(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	b := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(b)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Free makes room again.
func (d *Disk) Free() error { return os.Remove(d.filler()) }

// Forbid forbids writing. No file may be open to be written.
func (d *Disk) Forbid() error { return remount(d.dir, true) }

// Allow allows it again.
func (d *Disk) Allow() error { return remount(d.dir, false) }

// Unmount drops the disk with all that is on it, also under who has it open.
func (d *Disk) Unmount() error { return unmount(d.dir) }
