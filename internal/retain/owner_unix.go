//go:build unix

package retain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/arcseat/arc/internal/flock"
)

// hold makes a lock file and holds it until it is closed or the process ends.
// The file gets its name once it is locked: whoever looks at it in between would
// take its owner for dead.
func hold(path, temp string) (*os.File, error) {
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := flock.Try(f)
	switch {
	case err != nil:
		err = &os.PathError{Op: "lock", Path: temp, Err: err}
	case !free:
		err = fmt.Errorf("somebody else has locked %s", temp)
	default:
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
	free, _ := flock.TryShared(f)
	return !free
}
