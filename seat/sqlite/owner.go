package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/arcseat/arc/internal/flock"
)

// ownership of a store lasts until it is closed or the process ends.
type ownership struct{ f *os.File }

// Close lets go of the store. The lock is let go by name: a child that is just being
// forked has the file open as well, and would hold it for a moment longer.
func (o ownership) Close() error { return errors.Join(flock.Release(o.f), o.f.Close()) }

// own makes the process the owner of a store. The lock is the system's; what stands
// in the file is for people.
func own(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := flock.Try(f)
	for range 5 { // somebody who looks whether it is owned has it for a moment
		if free || err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
		free, err = flock.Try(f)
	}
	if err != nil || !free {
		defer f.Close()
		if err != nil {
			return nil, err
		}
		b, _ := io.ReadAll(io.LimitReader(f, 200))
		return nil, heldBy(strings.TrimSpace(string(b)))
	}
	// What cannot be written is only missed by a person.
	_ = f.Truncate(0)
	_, _ = f.WriteAt(fmt.Appendf(nil, "pid %d since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339)), 0)
	return ownership{f}, nil
}
