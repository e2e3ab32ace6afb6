//go:build unix

package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/arcseat/arc/internal/fakemodel"
)

// TestVendorsCallEveryTool has each vendor's agent call every tool with good arguments:
// those of a folder and a seat, those that end its turn, and those of a planning turn.
// None is refused, by the tools or by the agent, and none is missing from its list.
func TestVendorsCallEveryTool(t *testing.T) {
	t.Parallel()
	npm(t)
	pdf, err := os.ReadFile("../agent/demo/rules.pdf")
	if err != nil {
		t.Fatal(err)
	}
	searx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"results": []any{map[string]any{"title": "T", "url": "https://a.example/", "content": "words"}}})
	}))
	t.Cleanup(searx.Close)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<title>A page</title><h1>A page</h1><p>It has a paragraph.</p>"))
	}))
	t.Cleanup(page.Close)
	desktop, screen := "none", []fakemodel.Step(nil)
	if _, err := exec.LookPath("Xvfb"); err == nil {
		desktop = "virtual"
		screen = []fakemodel.Step{do("see", tool("computer", `{"actions":[{"action":"screenshot"}]}`))}
	}

	work := slices.Concat([]fakemodel.Step{
		begin("look",
			tool("workspace_list", `{}`),
			tool("workspace_search", `{"query":"hello","mode":"literal"}`),
			tool("workspace_recovery_status", `{}`),
			tool("workspace_document_inspect", `{"path":"rules.pdf"}`),
			tool("workspace_document_search", `{"path":"rules.pdf","query":"discount"}`),
			tool("workspace_document_read", `{"path":"rules.pdf","start_page":1,"end_page":1}`),
			tool("web_search", `{"query":"words"}`),
			tool("web_fetch", `{"url":"`+page.URL+`"}`),
			tool("workspace_read", `{"path":"a.txt"}`),
		),
		keeps(do("edit", tool("workspace_edit", `{"path":"a.txt","old_string":"hello","new_string":"goodbye","expected_sha256":"${sha}"}`)), "sha", "workspace_read", "sha256"),
		keeps(do("write", tool("workspace_write", `{"path":"b.txt","content":"new <&> é\n"}`)), "change", "workspace_edit", "change_id"),
		do("history", tool("workspace_history", `{}`)),
		do("undo", tool("workspace_undo", `{"change_id":"${change}"}`)),
		do("run", tool("shell_exec", `{"command":"echo out; sleep 1","block_budget_sec":0.1}`)),
		keeps(do("ask", tool("shell_job", `{"job_id":"${job}"}`), tool("shell_output", `{"spool_id":"${spool}","offset":0}`)),
			"job", "shell_exec", "job_id", "spool", "shell_exec", "spool_id"),
	}, screen, []fakemodel.Step{
		do("note", tool("save_notes", `{"notes":"Mind the gap."}`)),
		do("remind", tool("remind", `{"after":"24h","note":"Look again."}`)),
		do("wait a moment", tool("shell_exec", `{"command":"sleep 2","block_budget_sec":30}`)),
		do("finish", tool("finish", `{"summary":"All is done."}`)),
		done,
	})
	turns := []struct {
		name   string
		args   []string
		script fakemodel.Script
	}{
		{"a turn", []string{"-room", "work", "-desktop", desktop}, fakemodel.Script{Steps: work}},
		{"a turn with a short list", []string{"-compact"}, fakemodel.Script{Steps: []fakemodel.Step{
			begin("search", tool("tool_search", `{"query":"undo a change"}`)),
			do("read", tool("workspace_read", `{"path":"a.txt"}`)),
			done,
		}}},
		{"a turn that waits", []string{"-room", "wait"}, fakemodel.Script{Steps: []fakemodel.Step{
			begin("wait", tool("wait", `{"after":"24h","note":"Go on."}`)),
			done,
		}}},
		{"a planning turn", []string{"-room", "plan", "-mode", "planning"}, fakemodel.Script{Steps: []fakemodel.Step{
			begin("look", tool("workspace_read", `{"path":"a.txt"}`)),
			do("plan", tool("submit_plan", `{"summary":"One step.","subtasks":[{"title":"Greet","instruction":"Change the greeting in a.txt to goodbye.","target_files":["a.txt"],"acceptance":"a.txt says goodbye."}]}`)),
			done,
		}}},
		{"a planning turn that answers", []string{"-room", "ask", "-mode", "planning"}, fakemodel.Script{Steps: []fakemodel.Step{
			begin("answer", tool("answer_user", `{"answer":"Nothing is to be done."}`)),
			done,
		}}},
	}
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			program := own(t, "mcpserver")
			called, listed := map[string]int{}, map[string]bool{}
			for _, turn := range turns {
				t.Run(turn.name, func(t *testing.T) {
					p := newProject(t, "a.txt", "hello\n", "rules.pdf", string(pdf))
					args := append([]string{"-dir", p.dir, "-state", p.state, "-access", "full", "-desktop", "none"}, turn.args...)
					r := v.drive(t, turn.script, mcpServer{command: append([]string{program}, args...), env: map[string]string{"ARC_SEARXNG_URL": searx.URL}})
					add(called, outcome(t, r))
					c, _ := p.client(t, append(args[4:], "-desktop", "none")...)
					shown := map[string]bool{}
					for _, d := range r.Tools {
						name := ours(d.Name)
						shown[name] = true
						if name != d.Name || d.Namespace == "mcp__arc" {
							listed[name] = true
						}
					}
					for _, name := range names(t, c) {
						if !shown[name] {
							t.Errorf("%s is not in the agent's list", name)
						}
					}
				})
			}
			sum := 0
			for name := range listed {
				if called[name] == 0 {
					t.Errorf("%s is listed and was not called", name)
				}
			}
			for _, n := range called {
				sum += n
			}
			t.Logf("%s: %d tools were listed, %d were called in %d calls; none was refused unless it says so above: %q",
				v.name, len(listed), len(called), sum, slices.Sorted(maps.Keys(called)))
		})
	}
}
