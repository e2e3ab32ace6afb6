package docs

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when the file's content or state last changed by the system's own
// clock, which no program can set back.
func changeTime(info fs.FileInfo) (time.Time, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(st.Ctim.Unix()), true
}
