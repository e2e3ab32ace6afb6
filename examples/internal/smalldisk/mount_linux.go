package smalldisk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func mount(dir string) error {
	return unix.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", Size))
}

func remount(dir string, readOnly bool) error {
	flags := uintptr(unix.MS_REMOUNT)
	if readOnly {
		flags |= unix.MS_RDONLY
	}
	return unix.Mount("none", dir, "", flags, "")
}

func unmount(dir string) error { return unix.Unmount(dir, unix.MNT_DETACH) }
