//go:build unix && !linux

package proc

import "os"

func nameless() (*os.File, error) { return unlinked() }
