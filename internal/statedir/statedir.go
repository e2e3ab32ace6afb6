// Package statedir finds and makes the directory in which a project's state is
// kept: journals, spools and the like. It is private to its user (0700) and
// outside the project, so that no search, shell or backup of the project meets
// it.
package statedir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/arcseat/arc/internal/page"
)

// maxName is how much of a project's name its directory has, in bytes; file
// systems take 255 for a name.
const maxName = 100

// Default names the state directory of the project at dir: a folder of the
// user's state directory, called by the project's name and a hash of its path
// with links resolved. It makes nothing.
func Default(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", err
	}
	base, err := user()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(abs))
	name := filepath.Base(abs)
	name = name[:page.Cut(name, maxName)]
	return filepath.Join(base, "arc", name+"-"+hex.EncodeToString(sum[:8])), nil
}

// user is the user's directory for state: $XDG_STATE_HOME or ~/.local/state,
// and the platform's own place elsewhere.
func user() (string, error) {
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return d, nil
	}
	switch runtime.GOOS {
	case "windows", "darwin", "ios":
		return os.UserConfigDir()
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state"), nil
}

// Make makes dir and what is missing above it, and closes dir to other users if
// it stood open.
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return os.Chmod(dir, 0o700)
}
