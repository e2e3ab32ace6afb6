package shell

import (
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unicode/utf16"
)

func findShell() string {
	for _, name := range []string{"pwsh", "powershell"} {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}

// invocation encodes the command: PowerShell 5 loses double quotes otherwise.
func invocation(shell, command string) (argv []string, script *os.File, err error) {
	var b []byte
	for _, u := range utf16.Encode([]rune("[Console]::OutputEncoding=[Text.Encoding]::UTF8;" + command)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return []string{shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", base64.StdEncoding.EncodeToString(b)}, nil, nil
}

// errnoName is the system's text for an error.
func errnoName(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e.Error()
	}
	return "unknown error"
}
