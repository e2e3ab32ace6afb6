//go:build unix

package proc

import "os"

// unlinked is a temporary file that has lost its name already.
func unlinked() (*os.File, error) {
	f, err := os.CreateTemp("", "arc-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
