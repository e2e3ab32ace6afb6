package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc/examples/internal/scripttest"
)

// hang is a guard against what never comes; no test is timed by it.
const hang = time.Minute

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "huge" {
		huge()
		return
	}
	scripttest.Main(m, "mcpserver", main)
}

// A project is a folder with its state.
type project struct{ dir, state string }

func newProject(t *testing.T, files ...string) project {
	t.Helper()
	p := project{t.TempDir(), t.TempDir()}
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(p.dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// command is the program in a process of its own.
func (p project) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-dir", p.dir, "-state", p.state, "-desktop", "none"}, args...)...)
	cmd.Args[0] = "mcpserver"
	return cmd
}

// client is one that started the program. It returns what the program said beside the
// protocol, which is whole when the client has been closed.
func (p project) client(t *testing.T, args ...string) (*mcp.ClientSession, *bytes.Buffer) {
	t.Helper()
	cmd := p.command(t, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &mcp.CommandTransport{Command: cmd, TerminateDuration: hang}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	t.Cleanup(func() { c.Close() })
	return c, &said
}

// call is the text of a call's result, and whether it is an error.
func call(t *testing.T, c *mcp.ClientSession, name, args string) (string, bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func names(t *testing.T, c *mcp.ClientSession) (list []string) {
	t.Helper()
	for d, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d.Name)
	}
	return list
}

func TestAClientWorksInAFolder(t *testing.T) {
	t.Parallel()
	p := newProject(t, "a.txt", "hello\n")
	c, said := p.client(t)
	list := names(t, c)
	for _, want := range []string{"workspace_read", "workspace_undo", "workspace_document_read", "web_fetch"} {
		if !slices.Contains(list, want) {
			t.Errorf("%s is not listed", want)
		}
	}
	for _, name := range list {
		if strings.HasPrefix(name, "shell_") || name == "finish" || name == "tool_search" || strings.HasPrefix(name, "arc_seat_") {
			t.Errorf("%s is listed without being asked for", name)
		}
	}
	if text, isError := call(t, c, "workspace_read", `{"path":"a.txt"}`); isError || !strings.HasSuffix(text, "}\nhello\n") {
		t.Errorf("the file reads %q", text)
	}
	if text, isError := call(t, c, "workspace_write", `{"path":"b.txt","content":"<new>"}`); isError {
		t.Errorf("a new file: %s", text)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, "b.txt")); string(b) != "<new>" {
		t.Errorf("the file is %q, %v", b, err)
	}
	if text, isError := call(t, c, "workspace_write", `{"path":"a.txt","content":"x"}`); !isError || !strings.Contains(text, `"code":"expected_sha256_required"`) {
		t.Errorf("a write without a hash: %s", text)
	}
	if err := c.Close(); err != nil || said.Len() > 0 {
		t.Errorf("the program ended with %v and said %q", err, said)
	}
}

func TestCompactListsOnDemand(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c, _ := p.client(t, "-compact")
	if list := names(t, c); !slices.Contains(list, "tool_search") || slices.Contains(list, "workspace_history") {
		t.Errorf("listed are %q", list)
	}
	if text, isError := call(t, c, "workspace_history", `{}`); isError {
		t.Errorf("a tool that is not listed: %s", text)
	}
}

// TestNothingButTheProtocolIsOnStandardOutput speaks by hand.
func TestNothingButTheProtocolIsOnStandardOutput(t *testing.T) {
	t.Parallel()
	p := newProject(t, "a.txt", "hello\n")
	cmd := p.command(t, "-v")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"workspace_read","arguments":{"path":"a.txt"}}}
`)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, l := range lines {
		var m struct{ JSONRPC string }
		if err := json.Unmarshal([]byte(l), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("this is on standard output: %q", l)
		}
	}
	if len(lines) != 3 || !strings.Contains(out.String(), `hello\n`) || said.Len() == 0 {
		t.Errorf("requests that were piped in have %d answers, and -v logs %d bytes: %s", len(lines), said.Len(), out.String())
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for name, tt := range map[string]struct {
		args []string
		code int
		said string
	}{
		"a word too much":              {[]string{"now"}, 2, `mcpserver: "now" is too much; -h says more`},
		"a token file without -http":   {[]string{"-token-file", "x"}, 2, "mcpserver: -token-file is for -http; -h says more"},
		"fixtures of a seat":           {[]string{"-conformance", "-room", "x"}, 2, "mcpserver: -conformance serves nothing of a seat; -h says more"},
		"an address that others reach": {[]string{"-http", "0.0.0.0:0"}, 2, `mcpserver: invalid_arguments: "0.0.0.0:0" is no address of loopback;`},
		"a folder that is not there":   {[]string{"-dir", filepath.Join(p.dir, "no")}, 2, "mcpserver: not_found: there is no folder"},
	} {
		var said bytes.Buffer
		cmd := p.command(t, tt.args...)
		cmd.Stderr = &said
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != tt.code || !strings.HasPrefix(said.String(), tt.said) {
			t.Errorf("%s: %v, %s", name, err, said.String())
		}
	}

	t.Run("what is no message ends the program with an error", func(t *testing.T) {
		cmd := p.command(t)
		var said bytes.Buffer
		cmd.Stdin, cmd.Stderr = strings.NewReader("GET / HTTP/1.1\n\n"), &said
		if cmd.Run(); cmd.ProcessState.ExitCode() != exitBroken || !strings.HasPrefix(said.String(), "mcpserver: ") {
			t.Errorf("%v, %s", cmd.ProcessState, said.String())
		}
	})
}
