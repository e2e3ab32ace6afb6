package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/seat"
)

// built is where the program operator is, once a test has wanted it.
var built string

// operatorProgram is the program operator, built once for all tests.
var operatorProgram = sync.OnceValues(func() (string, error) {
	tool, err := goTool()
	if err != nil {
		return "", err
	}
	if built, err = os.MkdirTemp("", "operator-"); err != nil {
		return "", err
	}
	name := filepath.Join(built, "operator")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	build := exec.Command(tool, "build", "-o", name, "../operator")
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return name, nil
})

// operator runs the program operator on the stage's room, and returns its exit code
// and its screen.
func (g *stage) operator(args ...string) (int, string) {
	g.t.Helper()
	program, err := operatorProgram()
	if err != nil {
		g.t.Fatal(err)
	}
	cmd := exec.CommandContext(g.t.Context(), program, append([]string{"-dir", g.dir, "-state", g.state, "-room", "demo"}, args...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		g.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// tells is what the program answers as JSON, which it has to.
func tells[R any](g *stage, args ...string) (r R) {
	g.t.Helper()
	code, out := g.operator(append(args, "-json")...)
	if code != 0 {
		g.t.Fatalf("operator %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		g.t.Fatalf("operator %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return r
}

// atRest waits until the seat has ended so many turns and has no other to run.
func (g *stage) atRest(turns int) {
	g.t.Helper()
	for range 2000 { // a guard against a hang
		st := tells[seat.Status](g, "status", "-limit", "1")
		if st.Busy == nil && len(st.Queued) == 0 && len(st.Turns) > 0 && st.Turns[0].Seq >= int64(turns) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	g.t.Fatal("the seat does not come to rest")
}

// contents are the files under a folder and the hashes of what is in them.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		sum := sha256.Sum256(b)
		all[p] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameContents compares the files of before and after, but for those in which SQLite
// keeps who reads.
func sameContents(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	empty := sha256.Sum256(nil)
	for p, hash := range after {
		if strings.HasSuffix(p, "-shm") || strings.HasSuffix(p, "-wal") && before[p] == "" && hash == hex.EncodeToString(empty[:]) {
			continue
		}
		if before[p] != hash {
			t.Errorf("%s: %s has changed", what, p)
		}
	}
	for p := range before {
		if after[p] == "" {
			t.Errorf("%s: %s is gone", what, p)
		}
	}
}

// A screen has no line that is longer than it, but for one that is an id or a path.
func narrow(t *testing.T, out string) {
	t.Helper()
	for l := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > paint.PlainWidth {
			t.Errorf("a line has %d columns: %s", n, l)
		}
	}
	if bytes.ContainsRune([]byte(out), '\x1b') {
		t.Errorf("a pipe gets escape codes:\n%q", out)
	}
}
