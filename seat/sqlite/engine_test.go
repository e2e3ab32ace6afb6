package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

func TestTheEngineIsNewEnough(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{"3.51.2": false, "3.7.0": false, "3.51.3": true, "3.54.1": true, "4.0.0": true, "": false, "new": false} {
		if err := checkEngine(version); (err == nil) != ok || err != nil && !errors.Is(err, seat.StoreUnavailable) {
			t.Errorf("%q: got %v", version, err)
		}
	}
}

// result is an error of the driver's.
type result int

func (r result) Code() int     { return int(r) }
func (r result) Error() string { return fmt.Sprint("SQLite says ", int(r)) }

func TestErrorsOfADiskSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want arc.Code
	}{
		{result(full), arc.NoSpace},
		{result(4874), arc.NoSpace}, // a full disk, as the first reader meets it
		{result(ioErr), arc.IOError},
		{fmt.Errorf("begin: %w", result(busy)), arc.Locked},
		{&fs.PathError{Op: "open", Path: "seat.db.owner", Err: syscall.EROFS}, arc.PermissionDenied},
	} {
		if err := classify(c.err); !errors.Is(err, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%v: got %v, want %s", c.err, err, c.want)
		}
	}
}
