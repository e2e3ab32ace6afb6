package sqlite

import (
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/arcseat/arc/seat"
)

// applicationID marks a file as a store of seats, in the header where every SQLite
// file has room for that: ArcS.
const applicationID = 0x41726353

const magic = "SQLite format 3\x00"

// fresh reports whether f is empty, so that it may become a store. A file that is
// something else is refused before SQLite has touched it.
func fresh(f *os.File) (bool, error) {
	var header [100]byte
	n, err := f.ReadAt(header[:], 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return false, err
	case n == 0:
		return true, nil
	case n < len(header) || string(header[:len(magic)]) != magic:
		return false, notADatabase(nil)
	}
	return false, checkApplication(int64(binary.BigEndian.Uint32(header[68:])))
}

func checkApplication(id int64) error {
	if id != applicationID {
		return seat.Unavailable("foreign", nil, "this SQLite file belongs to another program; name another file for the seats.")
	}
	return nil
}
