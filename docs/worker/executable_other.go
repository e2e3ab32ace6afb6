//go:build !linux

package worker

import "os"

func executable() (string, error) { return os.Executable() }
