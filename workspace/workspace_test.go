package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/arcseat/arc"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "journal"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir, state string
		code             arc.Code
	}{
		{"the project as its own state directory", "journal", "journal", arc.InvalidArguments},
		{"the project as its own journal", "journal", ".", arc.InvalidArguments},
		{"a project that is not there", "nope", "state", arc.NotFound},
		{"a file as a project", "file", "state", arc.NotADirectory},
		{"a state directory below a file", "journal", "file/state", arc.NotADirectory},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(filepath.Join(top, c.dir), &Options{State: filepath.Join(top, c.state)})
			wantCode(t, err, c.code)
			if entries, err := os.ReadDir(filepath.Join(top, "journal")); err != nil || len(entries) != 0 {
				t.Errorf("the project has %v, %v", entries, err)
			}
		})
	}
	t.Run("a protected path that is none", func(t *testing.T) {
		t.Parallel()
		_, err := Open(top, &Options{State: t.TempDir(), Protected: []string{"../x"}})
		wantCode(t, err, arc.InvalidPath)
	})
}
