//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/workspace"
)

var kills = flag.Int("kills", 30, "how often the program is killed while it writes")

// TestAKilledScriptLosesNothing kills the program again and again while it
// writes. Whenever it is opened anew, each file is as the last change left it
// that was answered, or as the one change that was not; nothing is torn, nothing
// lies about, and changes are open.
func TestAKilledScriptLosesNothing(t *testing.T) {
	t.Parallel()
	w := &writer{
		dir: t.TempDir(), state: t.TempDir(),
		files: map[string]*known{},
		rand:  rand.New(rand.NewPCG(1, 2)),
	}
	recovered := 0
	for round := range *kills {
		w.killed(t)
		recovered += w.verify(t)
		if t.Failed() {
			t.Fatalf("in round %d, after %d answered changes", round, w.answered)
		}
	}
	t.Logf("score: kill %d ≥ 200 kills of a program that writes, %d changes acknowledged, none of them lost, %d recovered", *kills, w.answered, recovered)
	if w.answered < *kills {
		t.Errorf("only %d changes were answered: the kills come too early to try anything", w.answered)
	}
}

// A writer feeds the program and remembers what it was told.
type writer struct {
	dir, state string
	rand       *rand.Rand
	files      map[string]*known // as the last answer said
	flying     *change           // sent, and not answered
	answered   int
}

// known is a file as the model of it has it. Content nil: there is none.
type known struct {
	content []byte
	undo    string // the change that can be undone, and what comes back then
	before  []byte
}

// A change is one line of the script.
type change struct {
	path    string
	name    string
	args    map[string]any
	content []byte // afterwards
}

// killed runs the program, makes changes, and kills it at a random moment.
func (w *writer) killed(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-dir", w.dir, "-state", w.state, "-script")
	cmd.Args[0] = "call"
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = cmd.Process.Kill() }
	changes, pause := w.rand.IntN(8), time.Duration(w.rand.IntN(4000))*time.Microsecond
	answers := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == changes { // the next one is in the air when the end comes
			time.AfterFunc(pause, kill)
		}
		w.flying = w.next()
		line, err := json.Marshal(map[string]any{"name": w.flying.name, "args": w.flying.args})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(line, '\n')); err != nil {
			break
		}
		b, err := answers.ReadBytes('\n')
		if err != nil {
			break
		}
		w.hear(t, b)
	}
	_ = cmd.Wait() // it was killed: that is its error
}

// hear takes an answer down.
func (w *writer) hear(t *testing.T, line []byte) {
	var a struct {
		Text    string
		IsError bool `json:"is_error"`
	}
	var h struct {
		ChangeID string `json:"change_id"`
	}
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if err := json.Unmarshal([]byte(a.Text), &h); err != nil || a.IsError {
		t.Fatalf("%s %s was answered with %s", w.flying.name, w.flying.path, a.Text)
	}
	w.land(h.ChangeID)
	w.answered++
}

// land makes the change in the air what is known.
func (w *writer) land(id string) {
	c, f := w.flying, w.files[w.flying.path]
	if f == nil {
		f = &known{}
		w.files[c.path] = f
	}
	f.undo, f.before, f.content = id, f.content, c.content
	w.flying = nil
}

// next is a change that fits what is known.
func (w *writer) next() *change {
	path := fmt.Sprintf("d%d/file.txt", w.rand.IntN(5))
	f := w.files[path]
	if f == nil {
		f = &known{}
	}
	c := &change{path: path, args: map[string]any{"path": path}}
	switch kind := w.rand.IntN(4); {
	case kind == 0 && f.undo != "":
		c.name, c.args, c.content = "workspace_undo", map[string]any{"change_id": f.undo}, f.before
	case f.content == nil:
		c.name, c.content = "workspace_write", w.text()
		c.args["content"] = string(c.content)
	case kind == 1:
		c.name, c.content = "workspace_write", w.text()
		c.args["content"], c.args["expected_sha256"] = string(c.content), hash(f.content)
	default:
		old, _, _ := strings.Cut(string(f.content), "\n")
		line := fmt.Sprintf("first line %d", w.rand.Int64())
		c.name, c.content = "workspace_edit", []byte(line+string(f.content[len(old):]))
		c.args["old_string"], c.args["new_string"], c.args["expected_sha256"] = old, line, hash(f.content)
	}
	return c
}

// text is a new content: one random line first, then up to 100 kB.
func (w *writer) text() []byte {
	return fmt.Appendf(nil, "first line %d\n%s", w.rand.Int64(), strings.Repeat("the same line again\n", w.rand.IntN(5000)))
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// verify opens the project as the next process would, and compares. It returns
// how many changes were recovered.
func (w *writer) verify(t *testing.T) int {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	host, err := local.Open(w.dir, &local.Options{State: w.state})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := host.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	status, err := host.Workspace.RecoveryStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if status.Blocked || status.Status == "blocked" || len(status.Ambiguous)+len(status.Tampered) > 0 {
		t.Errorf("after a kill the workspace is %+v", status)
	}
	history, err := host.Workspace.History(ctx, workspace.HistoryArgs{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	w.settle(t, history)
	w.compare(t, history)
	return len(status.Recovered)
}

// settle finds out whether the change in the air has landed.
func (w *writer) settle(t *testing.T, h *workspace.HistoryResult) {
	c := w.flying
	if c == nil {
		return
	}
	now := read(t, filepath.Join(w.dir, c.path))
	old := []byte(nil)
	if f := w.files[c.path]; f != nil {
		old = f.content
	}
	switch {
	case same(now, c.content):
		for _, e := range h.Changes {
			if e.Path == c.path && e.Status != "aborted" {
				w.land(e.ChangeID)
				return
			}
		}
		t.Errorf("%s of %s has happened and is not in the history", c.name, c.path)
	case !same(now, old):
		t.Errorf("%s is torn: it has %d bytes, neither the %d before %s nor the %d after", c.path, len(now), len(old), c.name, len(c.content))
	}
	w.flying = nil
}

// compare holds the folder and the history against what was answered.
func (w *writer) compare(t *testing.T, h *workspace.HistoryResult) {
	newest := map[string]workspace.HistoryEntry{}
	for _, e := range h.Changes {
		if _, ok := newest[e.Path]; !ok && e.Status != "aborted" {
			newest[e.Path] = e
		}
	}
	for path, f := range w.files {
		if now := read(t, filepath.Join(w.dir, path)); !same(now, f.content) {
			t.Errorf("%s has %d bytes and should have the %d that were answered", path, len(now), len(f.content))
		}
		if e, ok := newest[path]; ok && e.ChangeID != f.undo || !ok && h.Total <= len(h.Changes) {
			t.Errorf("the newest change of %s is %+v in the history, and %s was answered", path, e, f.undo)
		} else if ok && e.Current != true {
			t.Errorf("%s is not as its newest change left it: %+v", path, e)
		}
	}
	err := filepath.WalkDir(w.dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "file.txt" {
			t.Errorf("%s is left over", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// read is a file's content, nil if there is none.
func read(t *testing.T, name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	if err == nil && b == nil {
		b = []byte{}
	}
	return b
}

// same compares contents; no file is not an empty one.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && string(a) == string(b) }
