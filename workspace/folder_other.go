//go:build !linux

package workspace

import (
	"io/fs"
	"os"
	"runtime"
	"time"
)

// syncDir makes a directory's names durable. Windows has no such call: its file
// systems log them.
func syncDir(f *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return f.Sync()
}

// changeTime is the time of the last write: no other is told alike everywhere.
func changeTime(info fs.FileInfo) time.Time { return info.ModTime() }

// exchange: without the system call, a change looks at the file once more just
// before it renames, and says so in its result.
func (d diskFolder) exchange(a, b string) error { return errNoExchange }

func (d diskFolder) moveNew(from, to string) error { return linkNew(d.root, from, to) }

// adopt keeps the mode.
func (d diskFolder) adopt(dst, src file, info fs.FileInfo) []string {
	if dst.Chmod(info.Mode()) != nil {
		return []string{"mode_changed"}
	}
	return nil
}
