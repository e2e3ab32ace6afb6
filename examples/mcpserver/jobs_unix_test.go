//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools/mcptool"
)

// Jobs that the agent of this repository does with a loop of its own, done by vendors'.

// eachVendor runs a test with each of them, if they are installed.
func eachVendor(t *testing.T, f func(t *testing.T, v vendor)) {
	t.Parallel()
	npm(t)
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			f(t, v)
		})
	}
}

// own is a link to the test binary, which is the program of that name when it is
// called by it.
func own(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	return program
}

// hosted serves a project over HTTP from this process until end, which the test calls
// or its cleanup does.
func hosted(t *testing.T, p *program) (s mcpServer, end func()) {
	t.Helper()
	read, write := io.Pipe()
	p.http, p.stderr, p.Logger = "127.0.0.1:0", write, slog.New(slog.DiscardHandler)
	serve, leave, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	listened := make(chan error, 1)
	go func() {
		listened <- p.listen(ctx, serve)
		write.Close()
	}()
	said := bufio.NewReader(read)
	words := func() string {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line[strings.LastIndex(line, " ")+1 : len(line)-1]
	}
	s.url, s.token = words(), words()
	go io.Copy(io.Discard, said)
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := errors.Join(<-listened, leave(context.Background())); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
	t.Cleanup(end)
	return s, end
}

// status is what a result must say of itself.
func status(of, want string) fakemodel.Match {
	return fakemodel.Match{Of: of, Fields: map[string]any{"error": nil, "status": want}}
}

// when is a step that asks more of the results than do.
func when(s fakemodel.Step, m fakemodel.Match) fakemodel.Step {
	s.When = m
	return s
}

// TestVendorsFixAFailingTest is a red test, an edit with the hash, a green test, an undo
// (red), a finish that the operator's check refuses, an undo of the undo (green), and a finish.
func TestVendorsFixAFailingTest(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	cache, err := exec.Command(goTool, "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	const test = `{"command":"go test ./...","block_budget_sec":60}`
	step := func(name string, m fakemodel.Match, calls ...fakemodel.Call) fakemodel.Step {
		return fakemodel.Step{Name: name, When: m, Calls: calls}
	}
	fine := fakemodel.Match{Fields: map[string]any{"error": nil}}
	red, green := status("shell_exec", "failed"), status("shell_exec", "completed")
	red.Contains = "the total is 10000, should be 9000"
	script := fakemodel.Script{Steps: []fakemodel.Step{
		begin("test", tool("shell_exec", test)),
		step("search", red, tool("workspace_search", `{"query":"discountFrom"}`)),
		step("read", fakemodel.Match{Contains: "discount.go"}, tool("workspace_read", `{"path":"discount.go"}`)),
		keeps(step("edit", fine, tool("workspace_edit", `{"path":"discount.go","old_string":"= 15000","new_string":"= 10000","expected_sha256":"${sha}"}`)), "sha", "workspace_read", "sha256"),
		keeps(step("test the fix", fine, tool("shell_exec", test)), "edit", "workspace_edit", "change_id"),
		step("undo", green, tool("workspace_undo", `{"change_id":"${edit}"}`)),
		keeps(step("test without the fix", fine, tool("shell_exec", test)), "undo", "workspace_undo", "change_id"),
		step("finish too early", red, tool("finish", `{"summary":"The discount begins at 100.00."}`)),
		step("undo the undo", fakemodel.Match{Of: "finish", Contains: "go test ./... failed", Fields: map[string]any{"error": nil, "status": "not_finished"}},
			tool("workspace_undo", `{"change_id":"${undo}"}`)),
		step("test the fix again", fine, tool("shell_exec", test)),
		step("finish", green, tool("finish", `{"summary":"The discount begins at 100.00, and the tests are green."}`)),
		when(done, status("finish", "finished")),
	}}
	eachVendor(t, func(t *testing.T, v vendor) {
		p := newProject(t)
		files, err := filepath.Glob("../agent/demo/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p.dir, strings.TrimSuffix(filepath.Base(name), ".txt")), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		command := []string{own(t, "mcpserver"), "-dir", p.dir, "-state", p.state, "-access", "full", "-desktop", "none", "-room", "work", "-check", "go test ./..."}
		for _, variable := range []string{
			"PATH=" + filepath.Dir(goTool) + string(os.PathListSeparator) + os.Getenv("PATH"), "GOCACHE=" + string(bytes.TrimSpace(cache)), "GOPATH=" + t.TempDir(),
			"GOENV=off", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0",
		} {
			command = append(command, "-env", variable)
		}
		outcome(t, v.drive(t, script, mcpServer{command: command}))
		if b, err := os.ReadFile(filepath.Join(p.dir, "discount.go")); err != nil || !bytes.Contains(b, []byte("= 10000")) {
			t.Errorf("the file is left as %s, %v", b, err)
		}
		if all := p.turns(t, "work"); len(all) != 1 || all[0].State != "finished" {
			t.Errorf("the turn is left as %+v", all)
		}
	})
}

// next is a call that the newest result proposes.
func next(r *fakemodel.Request) ([]fakemodel.Call, error) {
	last, _ := r.Last("")
	n, ok := last.Header()["next_call"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("there is no next call: %.600s", last.Text)
	}
	name, _ := n["tool"].(string)
	return []fakemodel.Call{{Tool: name, Args: n["arguments"]}}, nil
}

// pages are n steps that each follow the next call.
func pages(n int) []fakemodel.Step {
	list := make([]fakemodel.Step, n)
	for i := range list {
		list[i] = fakemodel.Step{Name: "page", Do: func(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
			calls, err := next(r)
			return "", calls, err
		}}
	}
	return list
}

// joined is how many bytes of whole the pages have, which must follow one another and
// have what whole has there. Agents put lines of their own around them.
func joined(t *testing.T, r fakemodel.Request, name, whole string) (end int64) {
	t.Helper()
	for _, turn := range r.Turns {
		for _, res := range turn.Results {
			h := res.Header()
			if ours(res.Name) != name || h["error"] != nil {
				continue
			}
			offset, err := h["offset"].(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			bytes, err := h["bytes"].(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			if offset != end && end > 0 || !strings.Contains(res.Text, whole[offset:offset+bytes]) {
				t.Errorf("the page of %d bytes at %d, after %d, is not that of the whole: %.300s", bytes, offset, end, res.Text)
			}
			end = offset + bytes
		}
	}
	return end
}

// TestVendorsStartALongBuild has a build become a job, other work done and the turn ended
// by a wait for the job; the seat is woken with its note, and a later turn pages the log
// to its end.
func TestVendorsStartALongBuild(t *testing.T) {
	const size = 200_000
	line := strings.Repeat("0123456789", 12) // agents count lines too
	whole := strings.Repeat(line+"\n", size/len(line)+1)[:size]
	eachVendor(t, func(t *testing.T, v vendor) {
		p := newProject(t)
		o := local.Options{Access: arc.FullAccess, State: p.state, Desktop: local.NoDesktop, Seats: true}
		s, end := hosted(t, &program{Options: o, dir: p.dir, room: "work"})
		r := v.drive(t, fakemodel.Script{Steps: []fakemodel.Step{
			begin("build", tool("shell_exec", fmt.Sprintf(`{"command":"sleep 30; yes %s | head -c %d; touch built","block_budget_sec":1}`, line, size))),
			keeps(when(do("other work", tool("workspace_write", `{"path":"notes.txt","content":"meanwhile\n"}`)), status("shell_exec", "running")),
				"job", "shell_exec", "job_id", "spool", "shell_exec", "spool_id"),
			do("wait", tool("wait", `{"job_id":"${job}","note":"Page the log ${spool} to its end."}`)),
			when(done, status("wait", "waiting")),
		}}, s)
		outcome(t, r)
		spool, _ := r.Last("shell_exec")
		for until := time.Now().Add(hang); ; time.Sleep(50 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(p.dir, "built")); err == nil {
				break
			}
			if time.Now().After(until) {
				t.Fatal("the build does not end")
			}
		}
		time.Sleep(time.Second) // the shell hears of the end, and tells the seat
		end()

		host, err := local.Open(p.dir, &o)
		if err != nil {
			t.Fatal(err)
		}
		run := host.RunOptions()
		run.Idle = true
		var woken []seat.Wake
		err = host.Seats.Run(t.Context(), func(_ context.Context, st *seat.Turn) (string, error) {
			woken = append(woken, st.Wakes...)
			return "I page it.", nil
		}, run)
		if err = errors.Join(err, host.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		note := fmt.Sprintf("Page the log %s to its end.", spool.Header()["spool_id"])
		if len(woken) != 1 || woken[0].Note != note || woken[0].Outcome != "completed" {
			t.Errorf("the seat is woken by %+v, want the note %q", woken, note)
		}

		s, _ = hosted(t, &program{Options: o, dir: p.dir, room: "work"})
		const page = 49_152
		r = v.drive(t, fakemodel.Script{Steps: append(append([]fakemodel.Step{
			begin("page", tool("shell_output", fmt.Sprintf(`{"spool_id":%q,"offset":0,"max_bytes":%d}`, spool.Header()["spool_id"], page))),
		}, pages((size-1)/page)...), done)}, s)
		outcome(t, r)
		if n := joined(t, r, "shell_output", whole); n != size {
			t.Errorf("the pages end at %d, want %d", n, size)
		}
	})
}

// TestVendorsPageAHugeAnswer has a service's answer of 2 MB bounded, kept and paged
// exactly, until its grant is withdrawn. It is not paged whole: an agent sends the pages
// again with each request, and some leave the oldest out when they are too much.
func TestVendorsPageAHugeAnswer(t *testing.T) {
	whole := hugeText()
	const n = 4 // pages, of 48 KiB
	eachVendor(t, func(t *testing.T, v vendor) {
		p := newProject(t)
		var withdrawn atomic.Bool
		o := local.Options{
			Access: arc.FullAccess, State: p.state, Desktop: local.NoDesktop,
			Services: []mcptool.Service{{Name: "huge", Command: []string{own(t, "huge")}}, {Name: "other", Command: []string{own(t, "huge")}}},
			Granted: func(arc.SeatID) []string {
				if withdrawn.Load() {
					return []string{"other"}
				}
				return []string{"huge", "other"}
			},
		}
		s, _ := hosted(t, &program{Options: o, dir: p.dir})
		steps := append([]fakemodel.Step{begin("ask", tool("huge__log", `{}`))}, pages(n)...)
		steps = append(steps, fakemodel.Step{Name: "page on without leave", Do: func(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
			withdrawn.Store(true)
			calls, err := next(r)
			return "", calls, err
		}}, when(done, fakemodel.Match{Fields: map[string]any{"error.code": "service_not_granted"}}))
		r := v.drive(t, fakemodel.Script{Steps: steps}, s)
		calls := outcome(t, r, "mcp_output service_not_granted")
		if end := joined(t, r, "mcp_output", whole); calls["mcp_output"] != n+1 || end < n*47<<10 {
			t.Errorf("%d calls of mcp_output end at byte %d", calls["mcp_output"], end)
		}
		if first, _ := r.Last("huge__log"); len(first.Text) > 20<<10 {
			t.Errorf("the answer is told in %d bytes", len(first.Text))
		}
	})
}
