package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

func nameless() (*os.File, error) {
	fd, err := unix.MemfdCreate("arc", unix.MFD_CLOEXEC)
	if err != nil {
		return unlinked()
	}
	return os.NewFile(uintptr(fd), "arc"), nil
}
