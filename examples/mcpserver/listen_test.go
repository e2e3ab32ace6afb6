package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listening is the program over HTTP, in a process that ends with the test. It returns
// the address, and the token if it was printed.
func (p project) listening(t *testing.T, args ...string) (url, token string) {
	t.Helper()
	cmd := p.command(t, append(args, "-http", "127.0.0.1:0")...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		rest, _ := io.ReadAll(lines)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended with %v: %s", err, rest)
		}
	})
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	url = strings.TrimSpace(strings.TrimPrefix(line, "mcpserver: "))
	if !strings.Contains(strings.Join(args, " "), "-token-file") && !strings.Contains(strings.Join(args, " "), "-conformance") {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		token = strings.TrimSpace(line[strings.LastIndex(line, " "):])
	}
	return url, token
}

// bearer shows a token.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

func connect(t *testing.T, url, token string) (*mcp.ClientSession, error) {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token, transport}}},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

func TestOverHTTP(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process is not interrupted there")
	}
	p := newProject(t, "a.txt", "hello\n")

	t.Run("the token that was printed lets in, and no other", func(t *testing.T) {
		url, token := p.listening(t)
		if _, err := connect(t, url, token+"x"); err == nil {
			t.Error("another token lets in")
		}
		for range 2 {
			c, err := connect(t, url, token)
			if err != nil {
				t.Fatal(err)
			}
			if text, isError := call(t, c, "workspace_read", `{"path":"a.txt"}`); isError || !strings.HasSuffix(text, "hello\n") {
				t.Errorf("the file reads %q", text)
			}
		}
	})

	t.Run("a token's file is made for its owner alone, and used again", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "token")
		for range 2 {
			url, _ := p.listening(t, "-token-file", file)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v, %v", info.Mode(), err)
			}
			if _, err := connect(t, url, strings.TrimSpace(string(b))); err != nil {
				t.Error(err)
			}
		}
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := p.command(t, "-http", "127.0.0.1:0", "-token-file", file)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitWrong || !strings.Contains(string(out), "others may read the token's file") {
			t.Errorf("a file that others may read: %v, %s", cmd.ProcessState, out)
		}
	})

	// A write to a connection that its client has closed raises SIGPIPE in a program
	// that has asked for it.
	t.Run("a client that hangs up in the middle of its answer does not end the program", func(t *testing.T) {
		url, _ := p.listening(t, "-conformance")
		c, err := connect(t, url, "")
		if err != nil {
			t.Fatal(err)
		}
		host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		for range 20 {
			conn, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_progress","arguments":{},"_meta":{"progressToken":"x",` +
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
			io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: "+host+"\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
				"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: test_tool_with_progress\r\nContent-Length: "+
				strconv.Itoa(len(body))+"\r\n\r\n"+body)
			first := make([]byte, 15)
			if _, err := io.ReadFull(conn, first); err != nil || string(first) != "HTTP/1.1 200 OK" {
				t.Fatalf("the answer begins with %q, %v", first, err)
			}
			if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
				t.Fatal(err)
			}
			conn.Close()
		}
		time.Sleep(200 * time.Millisecond) // for what the tools report later
		if text, isError := call(t, c, "test_simple_text", `{}`); isError {
			t.Errorf("another client's call: %s", text)
		}
	})
}
