package shell

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/arcseat/arc"
)

// workingDir is where a command runs: the project, a directory below it, or any
// directory by its absolute path. Codes: path_escape, cwd_not_found,
// invalid_arguments.
func (s *Shell) workingDir(cwd string) (string, error) {
	switch {
	case cwd == "":
		return s.dir, exists(s.dir, ".")
	case strings.IndexByte(cwd, 0) >= 0:
		return "", invalid("nul", "cwd holds a NUL byte; name an existing directory.")
	case cwd == "~" || strings.HasPrefix(cwd, "~/"):
		return "", &arc.Error{Code: CwdNotFound, Message: "~ is not expanded in cwd; give the absolute path, or begin the command with cd."}
	case filepath.IsAbs(cwd):
		dir := filepath.Clean(cwd)
		return dir, exists(dir, cwd)
	case !filepath.IsLocal(cwd):
		return "", &arc.Error{
			Code:    arc.PathEscape,
			Message: "a relative cwd must stay in the project; give an absolute path for a directory elsewhere.",
			Detail:  map[string]string{"path": cutRunes(cwd, commandRunes)},
		}
	}
	dir := filepath.Join(s.dir, cwd)
	return dir, exists(dir, cwd)
}

// exists refuses what is no directory. The message names it as the caller did.
func exists(dir, given string) error {
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return nil
	}
	given = cutRunes(given, commandRunes)
	why := "does not exist"
	switch {
	case err == nil:
		why = "is not a directory"
	case !os.IsNotExist(err):
		why = "cannot be entered"
	}
	return &arc.Error{
		Code:    CwdNotFound,
		Message: "the cwd " + given + " " + why + "; name an existing directory, or leave it out for the project.",
		Detail:  map[string]string{"path": given},
		Err:     err,
	}
}
