package workspace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// A child is this test program as a process of its own, which changes a project.
type child struct {
	Job        string // kill or count
	Dir, State string
	Seat       int
	Changes    int
	Seed       uint64
}

const childVariable = "ARC_WORKSPACE_TEST_CHILD"

// start runs c. What it says line by line is on the reader; it ends with the test at
// the latest.
func (c child) start(t *testing.T) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+string(args))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	return cmd, bufio.NewReader(out)
}

// runChild is what the process does.
func runChild(args string) error {
	var c child
	if err := json.Unmarshal([]byte(args), &c); err != nil {
		return err
	}
	ws, err := Open(c.Dir, &Options{State: c.State, KeepChanges: c.keep()})
	if err != nil {
		return err
	}
	defer ws.Close()
	if c.Job == "kill" {
		return c.waitForDeath(ws)
	}
	return c.count(ws)
}

// keep has segments roll and be dropped while processes are killed, and everything
// kept that is counted.
func (c child) keep() int {
	if c.Job == "kill" {
		return 60
	}
	return 1_000_000
}

// The files that a child changes which is to be killed: replaced ones, the last of
// them large, and one that comes and goes.
const (
	killFiles = 4
	goingFile = killFiles
)

func killFile(n int) string { return fmt.Sprintf("d%d/f", n) }

// killText is a version of a file; version 0 is none.
func killText(n, version int) string {
	switch {
	case version == 0:
		return ""
	case n == killFiles-1:
		return large(version)
	}
	return fmt.Sprintf("%d\n%s", version, strings.Repeat("x", version%100))
}

// killVersion reads which version a file is.
func killVersion(dir string, n int) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, killFile(n)))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	version := 0
	fmt.Sscan(string(b), &version)
	if err == nil && string(b) != killText(n, version) {
		err = fmt.Errorf("%s is of no version: %.20q, %d bytes", killFile(n), b, len(b))
	}
	return version, err
}

// waitForDeath changes files until it is killed, and says of each change when it
// begins and when it was acknowledged.
func (c child) waitForDeath(ws *Workspace) error {
	r := rand.New(rand.NewPCG(c.Seed, 1))
	type made struct {
		id     string
		before int
	}
	last := map[int]made{} // the change that made a file what it is
	for {
		n := r.IntN(killFiles + 1)
		now, err := killVersion(c.Dir, n)
		if err != nil {
			return err
		}
		next := now + 1 + r.IntN(50)
		undo := last[n].id != "" && (n == goingFile || r.IntN(4) == 0)
		if undo {
			next = last[n].before
		}
		fmt.Printf("begin %d %d\n", n, next)
		var id string
		if undo {
			res, err := ws.Undo(ctx, by, UndoArgs{last[n].id})
			if err != nil {
				return err
			}
			id = res.ChangeID
		} else {
			a := WriteArgs{Path: killFile(n), Content: killText(n, next)}
			if now > 0 {
				a.ExpectedSHA256 = string(hashOf([]byte(killText(n, now))))
			}
			res, err := ws.Write(ctx, by, a)
			if err != nil {
				return err
			}
			id = res.ChangeID
		}
		last[n] = made{id, now}
		fmt.Printf("done %d %d\n", n, next)
	}
}

// count makes changes of its own file, and as many of a shared one that all count up
// by compare and swap.
func (c child) count(ws *Workspace) error {
	own := fmt.Sprintf("own%d", c.Seat)
	for i := range c.Changes {
		if err := c.bump(ws, own, i); err != nil {
			return err
		}
		if err := c.bump(ws, "shared", -1); err != nil {
			return err
		}
	}
	return nil
}

// bump adds one to a file; from is what it must be, if it is not negative.
func (c child) bump(ws *Workspace, path string, from int) error {
	for {
		b, err := os.ReadFile(filepath.Join(c.Dir, path))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		v := 0
		fmt.Sscan(string(b), &v)
		if from >= 0 && v != from {
			return fmt.Errorf("%s is %d, want %d", path, v, from)
		}
		a := WriteArgs{Path: path, Content: fmt.Sprint(v + 1)}
		if err == nil {
			a.ExpectedSHA256 = string(hashOf(b))
		}
		origin := arc.Origin{Seat: arc.SeatID(fmt.Sprint(c.Seat)), Turn: arc.TurnID(path), Call: fmt.Sprint(v + 1)}
		_, err = ws.Write(ctx, origin, a)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, arc.Locked):
		case from < 0 && (errors.Is(err, arc.Stale) || errors.Is(err, arc.AlreadyExists) || errors.Is(err, ExpectedSHA256Required)):
		default:
			return err
		}
	}
}
