package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools/wire"
)

// project is a small Go module with a failing test. Its files end in .txt, so
// that they are no part of this module.
//
//go:embed demo
var project embed.FS

const (
	demoTask = "The tests of this shop fail. Find out what is right and mend what is wrong, show that the change can be " +
		"undone and done again, and finish when the tests are green."
	demoTest = "go test ./..."
)

// demonstrate fixes a copy of the project in a folder of its own, through a
// scripted model that is asked over HTTP like any other.
func (j job) demonstrate(ctx context.Context, s *screen, stderr io.Writer) int {
	scratch, err := os.MkdirTemp("", "arc-agent-")
	if err != nil {
		return failed(stderr, err)
	}
	defer os.RemoveAll(scratch)
	j.dir = filepath.Join(scratch, "shop")
	if err := copyDemo(j.dir); err != nil {
		return failed(stderr, err)
	}
	j.local = local.Options{Access: arc.FullAccess, State: filepath.Join(scratch, "state")}
	if j.local.Env, err = demoEnv(scratch); err != nil {
		return failed(stderr, err)
	}
	srv, err := fakemodel.Start(demoScript(), nil)
	if err != nil {
		return failed(stderr, err)
	}
	defer srv.Close()
	j.task, j.check, j.model = demoTask, demoTest, newModel(wire.Anthropic, srv.URL(), "", "scripted")
	s.note("A demonstration: the model is scripted, everything else is real.")
	s.note("With a key and a task the agent works for you: -h says how.")
	s.note("The project is a copy, and gone at the end.")
	if err := warmUp(ctx, j.dir, j.local.Env); err != nil {
		return failed(stderr, err)
	}
	return j.do(ctx, s, stderr)
}

// warmUp compiles the project's tests, which on a new machine takes longer than a
// command may block. Whether they pass is the model's to find out.
func warmUp(ctx context.Context, dir string, env []string) error {
	tool, err := goTool()
	if err != nil {
		return err
	}
	compile := exec.CommandContext(ctx, tool, "test", "-run", "^$", "./...")
	compile.Dir, compile.Env = dir, append(os.Environ(), env...)
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("the demonstration's project does not compile here: %w\n%s", err, out)
	}
	return nil
}

// copyDemo writes the project into dir, which it makes.
func copyDemo(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return fs.WalkDir(project, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := project.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, strings.TrimSuffix(path.Base(name), ".txt")), b, 0o644)
	})
}

// demoEnv is what go needs to test the project on any machine: offline, with
// the toolchain that is here, apart from a workspace or settings around it, and
// also where HOME and the caches are odd.
func demoEnv(scratch string) ([]string, error) {
	tool, err := goTool()
	if err != nil {
		return nil, err
	}
	return []string{
		"PATH=" + filepath.Dir(tool) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GOCACHE=" + goCache(scratch),
		"GOPATH=" + filepath.Join(scratch, "gopath"), // nothing is fetched; go only wants a name
		"GOMODCACHE=",
		"GOENV=off", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off", "GO111MODULE=on",
		"GOFLAGS=-mod=mod", "CGO_ENABLED=0", "GOTMPDIR=",
	}, nil
}

// goTool is the go command.
func goTool() (string, error) {
	if tool, err := exec.LookPath("go"); err == nil {
		return tool, nil
	}
	tool := filepath.Join(build.Default.GOROOT, "bin", "go")
	if _, err := os.Stat(tool); err != nil {
		return "", errors.New("the demonstration runs a project's tests and finds no go command in PATH")
	}
	return tool, nil
}

// goCache is where go keeps what it has compiled: its own place, which saves a
// minute, or one in scratch.
func goCache(scratch string) string {
	dir := os.Getenv("GOCACHE")
	if dir == "" {
		if d, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(d, "go-build")
		}
	}
	if !usable(dir) {
		return filepath.Join(scratch, "cache")
	}
	return dir
}

// usable reports whether go can keep a cache in dir.
func usable(dir string) bool {
	if !filepath.IsAbs(dir) || os.MkdirAll(dir, 0o755) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, "arc-*")
	if err != nil {
		return false
	}
	name := f.Name()
	return errors.Join(f.Close(), os.Remove(name)) == nil
}
