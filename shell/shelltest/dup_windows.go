package shelltest

import (
	"os"

	"golang.org/x/sys/windows"
)

// dup makes a second hold of a pipe.
func dup(f *os.File) (*os.File, error) {
	me := windows.CurrentProcess()
	var h windows.Handle
	if err := windows.DuplicateHandle(me, windows.Handle(f.Fd()), me, &h, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return nil, os.NewSyscallError("DuplicateHandle", err)
	}
	return os.NewFile(uintptr(h), f.Name()), nil
}
