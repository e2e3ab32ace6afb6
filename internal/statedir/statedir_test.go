package statedir_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc/internal/statedir"
)

func TestDefault(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", base)
	project := filepath.Join(t.TempDir(), "shop")
	other := filepath.Join(t.TempDir(), "shop")
	for _, d := range []string{project, other} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a, err := statedir.Default(project)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(a) != filepath.Join(base, "arc") {
		t.Errorf("%s is not in the user's state directory", a)
	}
	if b, _ := statedir.Default(other); a == b {
		t.Error("two projects of one name share a state directory")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	if b, _ := statedir.Default(link); a != b {
		t.Errorf("through a link the same project has %s, not %s", b, a)
	}
	if _, err := os.Stat(a); !os.IsNotExist(err) {
		t.Error("Default made something")
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("é", 127))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Skip(err)
	}
	if b, err := statedir.Default(long); err != nil || !utf8.ValidString(b) || statedir.Make(b) != nil {
		t.Errorf("a long name: %q, %v", b, err)
	}
}

func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := statedir.Make(dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("mode is %v, want 0700", info.Mode())
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := statedir.Make(file); err == nil {
		t.Error("a file passed for a state directory")
	}
}
