//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNothingRunsOn ends the program while a command runs, in each way that a client
// does, and looks for the command.
func TestNothingRunsOn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(stdin io.Closer, p *os.Process) error{
		"when the client closes its end": func(stdin io.Closer, _ *os.Process) error { return stdin.Close() },
		"when the client asks it to end": func(_ io.Closer, p *os.Process) error { return p.Signal(syscall.SIGTERM) },
		"with Ctrl-C":                    func(_ io.Closer, p *os.Process) error { return p.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			cmd := p.command(t, "-access", "full", "-room", "work")
			var said bytes.Buffer
			cmd.Stderr = &said
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}`)
			if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell_exec","arguments":{"command":"echo $$ >pid.new; mv pid.new pid; sleep 1000"}}}`)
			pid := 0
			for until := time.Now().Add(hang); pid == 0; time.Sleep(10 * time.Millisecond) {
				b, err := os.ReadFile(filepath.Join(p.dir, "pid"))
				if err == nil {
					if pid, err = strconv.Atoi(strings.TrimSpace(string(b))); err != nil {
						t.Fatal(err)
					}
				}
				if time.Now().After(until) {
					t.Fatal("the command does not begin")
				}
			}
			if err := end(stdin, cmd.Process); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the program ended with %v: %s", err, said.String())
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the command runs on: %v", err)
			}
			if all := p.turns(t, "work"); len(all) != 1 || all[0].State != "completed" {
				t.Errorf("the turn is left as %+v", all)
			}
		})
	}
}
