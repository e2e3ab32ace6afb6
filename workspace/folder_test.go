package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestANameThatCannotGo: without a rename that refuses to replace, a name is moved in two
// steps, and the second may fail.
func TestANameThatCannotGo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fails func(*os.Root) linker
		after string // what is at the new name
	}{
		{"takes the new one back", func(r *os.Root) linker { return &oneStays{Root: r} }, ""},
		{"leaves what somebody has saved at the new one", func(r *os.Root) linker {
			return &oneStays{r, func() error {
				return errors.Join(r.WriteFile("theirs", []byte("saved"), 0o600), r.Rename("theirs", "new"))
			}, false}
		}, "saved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			r, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.WriteFile("old", []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := linkNew(c.fails(r), "old", "new"); !errors.Is(err, syscall.EIO) {
				t.Errorf("the error is %v", err)
			}
			old, _ := r.ReadFile("old")
			made, err := r.ReadFile("new")
			if string(old) != "text" || string(made) != c.after || c.after == "" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old name has %q, the new one %q (%v)", old, made, err)
			}
		})
	}
}

// oneStays fails to remove the first name.
type oneStays struct {
	*os.Root
	meanwhile func() error
	failed    bool
}

func (r *oneStays) Remove(name string) error {
	if r.failed {
		return r.Root.Remove(name)
	}
	r.failed = true
	if r.meanwhile != nil {
		if err := r.meanwhile(); err != nil {
			return err
		}
	}
	return &fs.PathError{Op: "remove", Path: name, Err: syscall.EIO}
}
