//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/internal/fakemodel"
)

// Vendors' agents are peers too: make vendors installs them.

// vendorLimit is how long an agent may take for one task. It starts its own server,
// its own Node and ours.
const vendorLimit = 4 * time.Minute

// An mcpServer is ours, as a vendor's agent is told of it: a command, or an address.
type mcpServer struct {
	command    []string
	env        map[string]string
	url, token string
}

// A vendor is an agent of somebody else's.
type vendor struct {
	name    string
	program string // under node_modules
	script  bool   // Node runs it
	// prepare says how it is started, and writes what it reads before into its home,
	// which is also its project. model is the address of the scripted one.
	prepare func(home, model string, s mcpServer) (files map[string]any, env, args []string)
}

type object = map[string]any

var vendors = []vendor{
	{"Claude Code", "@anthropic-ai/claude-code-linux-x64/claude", false, func(_, model string, s mcpServer) (map[string]any, []string, []string) {
		server := object{"type": "http", "url": s.url, "headers": object{"Authorization": "Bearer " + s.token}}
		if s.url == "" {
			server = object{"command": s.command[0], "args": s.command[1:], "env": s.env}
		}
		return map[string]any{"mcp.json": object{"mcpServers": object{"arc": server}}},
			[]string{
				"ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_API_KEY=key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
				"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=120000", "MCP_TIMEOUT=120000", // else it begins without a server that is late
			},
			[]string{"-p", "Do it.", "--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__arc", "--output-format", "stream-json", "--verbose"}
	}},
	{"Codex", "@openai/codex/bin/codex.js", true, func(home, model string, s mcpServer) (map[string]any, []string, []string) {
		server := fmt.Sprintf("url = %q\nbearer_token_env_var = \"MCP_TOKEN\"\n", s.url)
		if s.url == "" {
			server = fmt.Sprintf("command = %q\nargs = %s\n[mcp_servers.arc.env]\n", s.command[0], asJSON(s.command[1:]))
			for name, value := range s.env {
				server += fmt.Sprintf("%s = %q\n", name, value)
			}
		}
		return map[string]any{".codex/config.toml": fmt.Sprintf(`model = "scripted"
model_provider = "fake"
model_context_window = 4000000
tool_output_token_limit = 100000
approval_policy = "never"
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[mcp_servers.arc]
required = true
startup_timeout_sec = 120
%s`, model, server)},
			[]string{"CODEX_HOME=" + filepath.Join(home, ".codex"), "FAKE_KEY=key", "MCP_TOKEN=" + s.token},
			[]string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Do it."}
	}},
	{"Gemini CLI", "@google/gemini-cli/bundle/gemini.js", true, func(_, model string, s mcpServer) (map[string]any, []string, []string) {
		server := object{"httpUrl": s.url, "headers": object{"Authorization": "Bearer " + s.token}, "trust": true}
		if s.url == "" {
			server = object{"command": s.command[0], "args": s.command[1:], "env": s.env, "trust": true}
		}
		return map[string]any{".gemini/settings.json": object{
				"security":   object{"auth": object{"selectedType": "gemini-api-key"}},
				"telemetry":  object{"enabled": false},
				"privacy":    object{"usageStatisticsEnabled": false},
				"general":    object{"disableAutoUpdate": true},
				"tools":      object{"truncateToolOutputThreshold": 0},
				"mcpServers": object{"arc": server},
			}},
			[]string{"GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_API_KEY=key"},
			[]string{"-m", "gemini-2.5-pro", "--skip-trust", "--yolo", "-p", "Do it."}
	}},
	{"opencode", "opencode-linux-x64/bin/opencode", false, func(home, model string, s mcpServer) (map[string]any, []string, []string) {
		server := object{"type": "remote", "url": s.url, "headers": object{"Authorization": "Bearer " + s.token}, "oauth": false, "enabled": true}
		if s.url == "" {
			server = object{"type": "local", "command": s.command, "environment": s.env, "enabled": true, "timeout": 60_000}
		}
		scripted := object{"name": "scripted", "tool_call": true, "limit": object{"context": 4_000_000, "output": 8000}}
		return map[string]any{"opencode.json": object{
				"model": "fake/scripted", "small_model": "fake/scripted", "autoupdate": false, "share": "disabled", "permission": "allow",
				"provider": object{"fake": object{
					"npm": "@ai-sdk/openai-compatible", "name": "fake",
					"options": object{"baseURL": model + "/v1", "apiKey": "key"},
					"models":  object{"scripted": scripted},
				}},
				"mcp": object{"arc": server},
			}},
			[]string{"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
			[]string{"run", "Do it."}
	}},
}

// asJSON is v, which JSON can say.
func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// drive has the agent do what the script says with our server, and returns the last
// request of that, which has all calls and results. Whatever goes otherwise than the
// script has it is an error.
func (v vendor) drive(t *testing.T, script fakemodel.Script, s mcpServer) fakemodel.Request {
	t.Helper()
	modules, node := npm(t)
	program := filepath.Join(modules, filepath.FromSlash(v.program))
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s is not installed: %v", v.name, err)
	}
	srv, err := fakemodel.Start(script, &fakemodel.Options{Foreign: true})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	home := t.TempDir()
	if s.env == nil {
		s.env = map[string]string{} // one of them takes no null
	}
	files, env, args := v.prepare(home, srv.URL(), s)
	for name, content := range files {
		name = filepath.Join(home, name)
		text, ok := content.(string)
		if !ok {
			text = asJSON(content)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if v.script {
		program, args = node, append([]string{program}, args...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), vendorLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = home
	cmd.Env = append(env, "HOME="+home, "PATH="+filepath.Dir(node)+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1", "TERM=dumb", "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = group, 10*time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err = cmd.Run()
	if cmd.Process != nil {
		_ = group() // what it has left; mostly there is nothing
	}
	if err = errors.Join(err, srv.Err()); err != nil || srv.Reached() != len(script.Steps) {
		const most = 4000
		t.Fatalf("%d of %d steps: %v\n%.*s", srv.Reached(), len(script.Steps), err, most, said.String())
	}
	t.Logf("%s: %d steps in %.0f s", v.name, srv.Reached(), time.Since(began).Seconds())
	all := srv.Requests()
	last := all[0]
	for _, r := range all {
		if len(r.Turns) >= len(last.Turns) {
			last = r
		}
	}
	return last
}

// outcome counts the calls of a conversation by tool, and fails for each that a tool
// or the client has refused, unless it is one that should be.
func outcome(t *testing.T, r fakemodel.Request, refused ...string) map[string]int {
	t.Helper()
	calls := map[string]int{}
	for _, turn := range r.Turns {
		for _, res := range turn.Results {
			name := ours(res.Name)
			calls[name]++
			code, is := "", res.IsError
			if e, ok := res.Header()["error"].(map[string]any); ok {
				code, is = fmt.Sprint(e["code"]), true
			}
			if !is {
				continue
			}
			if len(refused) > 0 && refused[0] == name+" "+code {
				refused = refused[1:]
				continue
			}
			t.Errorf("%s has failed: %.600s", name, res.Text)
		}
	}
	if len(refused) > 0 {
		t.Errorf("these should be refused, and were not: %q", refused)
	}
	return calls
}

// ours is our name of a tool that an agent lists.
func ours(listed string) string {
	for _, prefix := range []string{"mcp__arc__", "mcp_arc_", "arc_"} {
		if name, ok := strings.CutPrefix(listed, prefix); ok {
			return name
		}
	}
	return listed
}

// add adds counts to others.
func add(to, more map[string]int) {
	for name := range maps.Keys(more) {
		to[name] += more[name]
	}
}

// do is a step of a script: calls, which are made together, and all that came before
// must have gone well.
func do(name string, calls ...fakemodel.Call) fakemodel.Step {
	return fakemodel.Step{Name: name, When: fakemodel.Match{Fields: map[string]any{"error": nil}}, Calls: calls}
}

// begin is the first.
func begin(name string, calls ...fakemodel.Call) fakemodel.Step {
	return fakemodel.Step{Name: name, Calls: calls}
}

// tool is a call.
func tool(name, args string) fakemodel.Call {
	return fakemodel.Call{Tool: name, Args: json.RawMessage(args)}
}

// keeps has a step take values out of results: a name, a tool, and a field.
func keeps(s fakemodel.Step, pairs ...string) fakemodel.Step {
	s.Pull = map[string]fakemodel.Pull{}
	for i := 0; i < len(pairs); i += 3 {
		s.Pull[pairs[i]] = fakemodel.Pull{Of: pairs[i+1], Field: pairs[i+2]}
	}
	return s
}

// done are the last words.
var done = fakemodel.Step{Name: "done", Text: "Done."}
