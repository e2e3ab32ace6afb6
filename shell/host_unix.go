//go:build unix

package shell

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/arcseat/arc/internal/proc"
	"golang.org/x/sys/unix"
)

// findShell prefers bash: what models write is bash, and dash differs in silence.
func findShell() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path
		}
	}
	if _, err := os.Stat("/bin/sh"); err == nil {
		return "/bin/sh"
	}
	return ""
}

// invocation hands the command over as a script on descriptor 3. As an argument
// it could have 128 KiB at most, would be seen in every list of processes, and a
// pkill -f would find its own shell.
func invocation(shell, command string) (argv []string, script *os.File, err error) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		return []string{shell, "-c", command}, nil, nil
	}
	if slices.Contains(reopening, filepath.Base(shell)) {
		command = closeScript + command
	}
	script, err = proc.File(command)
	if err != nil {
		return nil, nil, err
	}
	return []string{shell, "/dev/fd/3"}, script, nil
}

// reopening are the shells that are known to read a script by a descriptor of their
// own, which no program inherits, so that the one that named it can be closed.
var reopening = []string{"bash", "dash", "sh"}

// closeScript keeps descriptor 3 from what the command starts. It has no line end, so
// that the shell counts the command's lines as they are.
const closeScript = "exec 3<&-; "

// errnoName is the system's name for an error, as EAGAIN.
func errnoName(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		if name := unix.ErrnoName(e); name != "" {
			return name
		}
	}
	return "unknown error"
}
