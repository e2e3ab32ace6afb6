package workspace

import (
	"io"
	"os"
	"testing"

	"github.com/arcseat/arc"
)

func TestOpenFile(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"dir/a.bin": "\x00binary", "b.txt": "b"})
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/secret", []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": outside + "/secret", "in": "dir/a.bin"} {
		if err := os.Symlink(target, p.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"dir/a.bin", "in"} {
		f, err := p.OpenFile(ctx, path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		b, err := io.ReadAll(f)
		f.Close()
		if err != nil || string(b) != "\x00binary" {
			t.Errorf("%s holds %q, %v", path, b, err)
		}
	}
	for path, code := range map[string]arc.Code{
		"../x": arc.InvalidPath, "/etc/passwd": arc.InvalidPath, "out": arc.PathEscape, "dir": arc.IsDirectory, "none": arc.NotFound, "b.txt/x": arc.NotADirectory,
	} {
		f, err := p.OpenFile(ctx, path)
		if f != nil {
			t.Errorf("%s was opened", path)
		}
		wantCode(t, err, code)
	}
	for name := range special(t, p) {
		_, err := p.OpenFile(ctx, name)
		wantCode(t, err, arc.NotRegularFile)
	}
}
