package shell

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/arcseat/arc/internal/flock"
	"golang.org/x/sys/unix"
)

// A privateTemp is a directory for temporary files that no other user can enter. It is
// locked while it is used, so that the next one finds what a killed host has left.
type privateTemp struct {
	path string
	lock *os.File
}

const tempPrefix = "arc-shell-"

// newPrivateTemp makes a directory in parent, empty: the system's for such files. It
// removes those of hosts that were killed.
func newPrivateTemp(parent string) (*privateTemp, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, err
	}
	left, _ := filepath.Glob(filepath.Join(parent, tempPrefix+"*")) // the pattern is good
	for _, path := range left {
		if t, err := lockTemp(path); err == nil {
			_ = t.remove() // as far as it goes: it is somebody else's
		}
	}
	for {
		path, err := os.MkdirTemp(parent, tempPrefix)
		if err != nil {
			return nil, err
		}
		t, err := lockTemp(path)
		if err == nil || !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errTaken) {
			return t, err
		}
		// Another host saw it before it was locked, and took it for one that was left.
	}
}

var errTaken = errors.New("somebody uses the directory")

// lockTemp takes a directory of this user's that nobody uses.
func lockTemp(path string) (*privateTemp, error) {
	f, err := os.OpenFile(path, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	var opened, named unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &opened)
	if err == nil {
		var free bool
		if free, err = flock.Try(f); err == nil && !free {
			err = errTaken
		}
	}
	if err == nil {
		err = unix.Lstat(path, &named)
	}
	if err == nil && (named.Ino != opened.Ino || named.Dev != opened.Dev || int(opened.Uid) != os.Geteuid()) {
		err = errTaken
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &privateTemp{path, f}, nil
}

// remove removes the directory, and what is in it.
func (t *privateTemp) remove() error {
	defer t.lock.Close()
	return os.RemoveAll(t.path)
}
