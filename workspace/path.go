package workspace

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A relPath is a checked path: relative to the project, with slashes, without
// "." and ".." elements; "." is the project itself. It says nothing of what is
// on disk.
type relPath string

// elements are the names along the path; none for ".".
func (p relPath) elements() []string {
	if p == "." {
		return nil
	}
	return strings.Split(string(p), "/")
}

// join is the path of name in p.
func (p relPath) join(name string) relPath {
	if p == "." {
		return relPath(name)
	}
	return p + "/" + relPath(name)
}

// parsePath checks a path as a model wrote it. Empty is the project; "./" and
// doubled slashes are cleaned away. Nothing else is changed, Unicode above all:
// the exact name must stay reachable. A trailing slash is allowed where a
// directory may stand.
func (ws *Workspace) parsePath(path string, mayBeDir bool) (relPath, error) {
	invalid := func(why string) (relPath, error) {
		return "", &arc.Error{
			Code:    arc.InvalidPath,
			Message: fmt.Sprintf("%s; give a path relative to the project, with slashes.", why),
			Detail:  pathDetail{Path: clip(path, 200)},
		}
	}
	switch {
	case strings.ContainsRune(path, 0):
		return invalid("the path holds a NUL byte")
	case !utf8.ValidString(path):
		return invalid("the path is not UTF-8")
	case len(path) > maxPath:
		return invalid(fmt.Sprintf("the path is longer than %d bytes", maxPath))
	case filepath.IsAbs(path), strings.HasPrefix(path, "/"), filepath.VolumeName(path) != "":
		if rel, ok := ws.inside(path); ok {
			return invalid(fmt.Sprintf("the path is absolute; in this project it is %q", rel))
		}
		return invalid("the path is absolute and not in the project")
	case runtime.GOOS == "windows" && strings.Contains(path, `\`):
		return invalid("the path holds a backslash")
	case !mayBeDir && len(path) > 1 && strings.HasSuffix(path, "/"):
		return invalid("the path ends in a slash and a file is wanted")
	}
	var kept []string
	for name := range strings.SplitSeq(path, "/") {
		switch {
		case name == "" || name == ".":
		case name == "..":
			return invalid(`the path holds ".."`)
		case runtime.GOOS == "windows" && (!filepath.IsLocal(name) || strings.ContainsAny(name, `:`) || strings.TrimRight(name, ". ") != name):
			return invalid(fmt.Sprintf("%q is not a file name on Windows", name))
		default:
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 {
		return ".", nil
	}
	return relPath(strings.Join(kept, "/")), nil
}

// inside tells an absolute path's form within the project, by its text alone.
func (ws *Workspace) inside(path string) (string, bool) {
	for _, root := range []string{ws.dir, ws.realDir} {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// isGitName reports whether name is .git on some file system: by case, by the
// characters that Apple's ignores, or as a short name of Windows'.
func isGitName(name string) bool {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	if name = strings.TrimRight(name, ". "); len(name) > 64 {
		return false // none of what is left goes away
	}
	name = strings.TrimRight(cases.Fold().String(norm.NFKC.String(name)), ". ")
	return name == ".git" || name == "git~1"
}

// clip shortens text for an error.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return strings.ToValidUTF8(s[:max], "") + "…"
}
