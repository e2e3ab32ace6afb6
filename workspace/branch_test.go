package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// TestThePortableWalkPassesTheSameTests: other systems' walk, and that of Linux.
func TestThePortableWalkPassesTheSameTests(t *testing.T) {
	t.Parallel()
	if *portable || runtime.GOOS != "linux" {
		t.Skip("this run is the portable one")
	}
	if testing.Short() {
		t.Skip("it takes a second run")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "-portable", "-rapid.checks=20",
		"-test.run", "List|Search|Walk|Page|Snapshot|Ignore|Hidden|Link|Excerpt|Suggest|Found|Files|Branch").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// portableFolder hides that there is a quicker way.
type portableFolder struct{ folder }

// TestBothWalksFindTheSame: lists and searches of random trees, page by page.
func TestBothWalksFindTheSame(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	names := rapid.SampledFrom([]string{"a", "b.log", "c", ".gitignore", "d", "\u00e9", "git", "\xff", ".git", "z"})
	contents := rapid.SampledFrom([]string{"", "needle\n", "x\nNeedle", "*.log\n!a\n", "d/\n", "\x00needle", "\xff\xfen", "need\nle", "\ufeffneedle\r\n"})
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		made++
		top := fmt.Sprintf("t%d", made)
		if err := os.Mkdir(p.path(top), 0o755); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 25).Draw(t, "entries") {
			at := top
			for range rapid.IntRange(0, 3).Draw(t, "depth") {
				at += "/" + names.Draw(t, "dir")
			}
			name := p.path(at + "/" + names.Draw(t, "name"))
			if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
				continue // a file stands there
			}
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				os.Symlink("..", name) // fails where something stands, as does the write
			} else {
				os.WriteFile(name, []byte(contents.Draw(t, "content")), 0o644)
			}
		}
		var said [2]string
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		quick := p.root
		for i, root := range []folder{quick, portableFolder{quick}} {
			p.root = root
			for a := (SearchArgs{Query: "needle", Path: top, Limit: limit}); ; {
				r, err := p.Search(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				said[i] += jsonOf(t, r) + r.Text
				if r.Next == nil {
					break
				}
				a = r.Next.Arguments.(SearchArgs)
			}
			for _, all := range []bool{true, false} {
				l, err := p.listing(ctx, listKey{relPath(top), all}, maxWalk)
				if err != nil {
					t.Fatal(err)
				}
				said[i] += fmt.Sprintf("%+v", *l)
			}
		}
		p.root = quick
		if said[0] != said[1] {
			t.Fatalf("one walk says\n%s\nthe portable one\n%s", said[0], said[1])
		}
	})
}

func jsonOf(t interface{ Fatal(...any) }, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestABranchOpensFilesOnly: what was a file when its directory was read may be a
// link or a pipe when it is opened.
func TestABranchOpensFilesOnly(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"file": "text", "dir/x": ""})
	for name, target := range map[string]string{"out": "/etc/passwd", "up": "..", "in": "dir"} {
		if err := os.Symlink(target, p.path(name)); err != nil {
			t.Skip(err)
		}
	}
	kinds := special(t, p)
	for _, root := range []folder{p.root, portableFolder{p.root}} {
		p.root = root
		b := p.rootBranch()
		t.Run(fmt.Sprintf("%T", b), func(t *testing.T) {
			for _, name := range []string{"out", "up"} {
				if f, err := b.open(name); err == nil {
					f.Close()
					t.Errorf("the link %s is opened", name)
				}
				if d, err := b.enter(name); err == nil {
					d.Close()
					t.Errorf("the link %s is entered", name)
				}
			}
			for name := range kinds {
				f, err := b.open(name)
				if err != nil {
					continue
				}
				if text, err := io.ReadAll(f); len(text) > 0 && !errors.Is(err, errNotRegular) {
					t.Errorf("%s has %q, %v", name, text, err)
				}
				f.Close()
			}
			if f, err := b.open("dir"); err == nil {
				if text, err := io.ReadAll(f); err == nil {
					t.Errorf("a directory is read as %q", text)
				}
				f.Close()
			}
			f, err := b.open("file")
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(f); string(text) != "text" || err != nil {
				t.Errorf("the file has %q, %v", text, err)
			}
			f.Close()
		})
		b.Close()
	}
}
