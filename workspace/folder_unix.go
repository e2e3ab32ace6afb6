//go:build unix

package workspace

import (
	"io/fs"
	"syscall"
)

// noSpace: the disk or a quota is full.
var noSpace = []error{syscall.ENOSPC, syscall.EDQUOT}

// hardLinks is how many names the file has.
func hardLinks(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}
