package retain

import (
	"fmt"
	"os"
)

// OpenFile opens a file of a store to be read. Somebody may have put another thing in
// its place: a link is not followed, and a pipe is refused without a wait.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|readFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
