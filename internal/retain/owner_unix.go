//go:build unix

package retain

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// hold makes a lock file and holds it until it is closed or the process ends.
// The file gets its name once it is locked: whoever looks at it in between would
// take its owner for dead.
func hold(path, temp string) (*os.File, error) {
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		err = &os.PathError{Op: "lock", Path: temp, Err: err}
	} else {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // the next Open tries again
		f.Close()
		return nil, err
	}
	return f, nil
}

// held reports whether somebody holds the lock file. What cannot be found out, for
// want of descriptors for example, counts as held: to take a living owner for dead
// would end the records of what it runs.
func held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}
