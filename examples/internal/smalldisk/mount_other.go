//go:build !linux

package smalldisk

import "errors"

func mount(string) error         { return errors.ErrUnsupported }
func remount(string, bool) error { return errors.ErrUnsupported }
func unmount(string) error       { return errors.ErrUnsupported }
