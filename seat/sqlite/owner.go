package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/arcseat/arc/internal/flock"
	"github.com/arcseat/arc/seat"
)

// ownership of a store lasts until it is closed or the process ends.
type ownership struct {
	lock, file *os.File
	release    func() error // of the file; nil: it is not opened yet
}

// Close lets go of the store. The lock is let go by name: a child that is just being
// forked has the file open as well, and would hold it for a moment longer.
func (o ownership) Close() error {
	errs := []error{flock.Release(o.lock), o.lock.Close()}
	if o.release != nil {
		errs = append(errs, o.release())
	}
	return errors.Join(errs...)
}

// ownerFile is where the owner of the store at path is written.
func ownerFile(path string) string { return path + ".owner" }

// own makes the process the owner of the store at path, in an opening of that name,
// and the file if it is missing. Two locks say so, both of them the system's: that of
// a file beside the store, in which people and readers find who it is, and that of
// the store's file itself, which holds where somebody removed the first, and under
// every name that a link gives the file.
func own(path, opening string) (o ownership, err error) {
	for {
		if o.lock, err = os.OpenFile(ownerFile(path), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return o, err
		}
		free, err := try(o.lock)
		if err == nil && !free {
			b, _ := io.ReadAll(io.LimitReader(o.lock, 200))
			err = heldBy(strings.TrimSpace(string(b)))
		}
		if err != nil {
			o.lock.Close()
			return o, err
		}
		if sameFile(o.lock, ownerFile(path)) {
			break
		}
		o.Close() // it was removed before it was locked: that lock keeps nobody away
	}
	if o.file, o.release, err = openLocked(path); err != nil {
		o.Close()
		return o, err
	}
	// What cannot be written is only missed by readers and people.
	_ = o.lock.Truncate(0)
	_, _ = o.lock.WriteAt(fmt.Appendf(nil, "pid %d since %s as %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339), opening), 0)
	return o, nil
}

// try locks f, and does not take a reader's look for an owner.
func try(f *os.File) (free bool, err error) {
	for pause := time.Millisecond; pause < 10*time.Millisecond; pause *= 2 {
		if free, err = flock.Try(f); free || err != nil {
			return free, err
		}
		time.Sleep(pause)
	}
	return false, nil
}

func sameFile(f *os.File, path string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	at, err := os.Stat(path)
	return err == nil && os.SameFile(is, at)
}

// noOwner is the opening of a store that nobody owns now.
const noOwner = "none"

// Owned reports whether a process owns the store at path now, or may: who cannot read the
// lock file beside it does not know.
func Owned(path string) bool { return owning(path) != noOwner }

// owning is the opening in which somebody owns the store at path now.
func owning(path string) string {
	f, err := os.Open(ownerFile(path))
	if errors.Is(err, fs.ErrNotExist) {
		return noOwner
	}
	if err != nil {
		return seat.NotKnown
	}
	defer f.Close()
	switch free, err := flock.TryShared(f); {
	case err != nil:
		return seat.NotKnown
	case free:
		_ = flock.Release(f) // closing it does the same
		return noOwner
	}
	b, _ := io.ReadAll(io.LimitReader(f, 200))
	_, opening, _ := strings.Cut(strings.TrimSpace(string(b)), " as ")
	return opening
}
