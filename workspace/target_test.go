package workspace

import (
	"os"
	"testing"

	"github.com/arcseat/arc"
)

func TestAPlanMayNameWhatAWriteCouldMake(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n"})
	if err := os.Symlink(t.TempDir(), p.path("out")); err != nil {
		t.Skip("there are no links here")
	}
	for path, want := range map[string]arc.Code{
		"a.txt":            "",
		"sub/b.txt":        "",
		"new.txt":          "",
		"new/folder/c.txt": "",
		"sub":              arc.IsDirectory,
		"a.txt/c.txt":      arc.NotADirectory,
		"../c.txt":         arc.InvalidPath,
		"out/c.txt":        arc.PathEscape,
		".git/config":      ProtectedPath,
	} {
		switch err := p.CheckTarget(ctx, path); {
		case want != "":
			wantCode(t, err, want)
		case err != nil:
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(p.path("new")); err == nil {
		t.Error("a check has made a folder")
	}
}
