//go:build unix

package retain

import "golang.org/x/sys/unix"

// readFlags neither follow a link nor wait on a pipe.
const readFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK
