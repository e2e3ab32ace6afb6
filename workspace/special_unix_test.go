//go:build unix

package workspace

import (
	"net"
	"os"
	"syscall"
	"testing"
)

// special puts what is no regular file into the project, as far as this user may,
// and returns the kind of each name.
func special(t *testing.T, p *project) map[string]string {
	t.Helper()
	kinds := map[string]string{}
	if err := syscall.Mkfifo(p.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds["pipe"] = "pipe"
	if err := mknod(p.path("zero")); err == nil {
		kinds["zero"] = "device"
	}
	// A socket's path may have about 100 bytes, fewer than a test's directory.
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	l, err := net.Listen("unix", short+"/s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Rename(short+"/s", p.path("socket")); err == nil {
		kinds["socket"] = "socket"
	}
	return kinds
}
