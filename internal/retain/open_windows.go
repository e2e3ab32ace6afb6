package retain

import "os"

const readFlags = 0

// appendTo adds b to a file in one write, and makes the file if it is missing.
func appendTo(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if no := f.Close(); err == nil {
		err = no
	}
	return err
}
