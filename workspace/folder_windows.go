package workspace

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

const openFlags = 0

// noSpace: the disk is full.
var noSpace = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}

// hardLinks is not told by Windows' file information.
func hardLinks(fs.FileInfo) int { return 1 }
