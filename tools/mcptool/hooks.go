package mcptool

import (
	"fmt"
	"runtime/debug"
)

// safely calls a func of the host's where nobody else would catch its panic, which is
// then an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
