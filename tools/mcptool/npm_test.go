package mcptool_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/mcptool"
)

// published is a service that others have published with npm. The variable ARC_NPM names a
// folder with the node_modules in which they are installed.
func published(t *testing.T, program string, args ...string) mcptool.Service {
	t.Helper()
	dir := os.Getenv("ARC_NPM")
	path, err := filepath.Abs(filepath.Join(dir, "node_modules", ".bin", program))
	if dir == "" || err != nil {
		t.Skip("ARC_NPM names no folder with " + program)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip(program + " is not installed in ARC_NPM")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	return mcptool.Service{Name: "peer", Command: append([]string{path}, args...)}
}

// callAll calls each tool of a service, and fails for one that has no arguments here.
func callAll(t *testing.T, s *mcptool.Services, calls []arc.Call) {
	t.Helper()
	x := session(t, s, turn("me", "peer"), nil)
	called := map[string]bool{"tool_search": true, "mcp_output": true}
	for _, c := range calls {
		called[c.Name] = true
		if r := x.Call(t.Context(), c); r.Err != nil {
			t.Errorf("%s answers %.600s", c.Name, r)
		} else if r.Body == "" && len(r.Images) == 0 {
			t.Errorf("%s says nothing", c.Name)
		}
	}
	for name := range strings.FieldsSeq(names(x)) {
		if !called[name] {
			t.Errorf("%s was not called", name)
		}
	}
}

func object(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type args map[string]any

func TestThePublishedFileService(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	const size = 2 << 20
	text := long(size)
	for name, content := range map[string]string{"big.txt": text, "a.txt": "one\ntwo\n", "p.png": "\x89PNG\r\n\x1a\n"} {
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := attach(t, published(t, "mcp-server-filesystem", dir), nil)
	call := func(name string, a args) arc.Call { return arc.Call{Name: "peer__" + name, Args: object(t, a)} }
	callAll(t, s, []arc.Call{
		call("read_file", args{"path": at("a.txt")}), call("read_text_file", args{"path": at("a.txt"), "head": "1"}),
		call("read_media_file", args{"path": at("p.png")}), call("read_multiple_files", args{"paths": []string{at("a.txt")}}),
		call("write_file", args{"path": at("b.txt"), "content": "x"}),
		call("edit_file", args{"path": at("b.txt"), "edits": []args{{"oldText": "x", "newText": "y"}}}),
		call("create_directory", args{"path": at("d")}), call("list_directory", args{"path": dir}),
		call("list_directory_with_sizes", args{"path": dir}), call("directory_tree", args{"path": dir}),
		call("move_file", args{"source": at("b.txt"), "destination": at("d/b.txt")}),
		call("search_files", args{"path": dir, "pattern": "*.txt"}), call("get_file_info", args{"path": at("a.txt")}),
		call("list_allowed_directories", args{}),
	})
	if b, err := os.ReadFile(at("d/b.txt")); err != nil || string(b) != "y" {
		t.Errorf("the file is %q, %v", b, err)
	}
	x := session(t, s, turn("me", "peer"), nil)
	r := x.Call(t.Context(), call("read_text_file", args{"path": at("big.txt")}))
	if r.Err != nil || r.Next == nil {
		t.Fatalf("a file of 2 MB is %.500s", r)
	}
	if got, _ := whole(t, x, r); got != text {
		t.Errorf("its pages are %d bytes, not %d", len(got), size)
	}
	if r := x.Call(t.Context(), call("read_text_file", args{"path": "/etc/passwd"})); code(r) != mcptool.ServiceError || !strings.Contains(r.Body, "denied") {
		t.Errorf("a file elsewhere is %s", r)
	}
}

func TestThePublishedMemoryService(t *testing.T) {
	t.Parallel()
	one := published(t, "mcp-server-memory")
	one.Env = []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")}
	s := attach(t, one, nil)
	call := func(name string, a args) arc.Call { return arc.Call{Name: "peer__" + name, Args: object(t, a)} }
	ada := args{"name": "Ada", "entityType": "person", "observations": []string{"counts"}}
	knows := args{"from": "Ada", "to": "Ada", "relationType": "knows"}
	callAll(t, s, []arc.Call{
		call("create_entities", args{"entities": []args{ada}}), call("create_relations", args{"relations": []args{knows}}),
		call("add_observations", args{"observations": []args{{"entityName": "Ada", "contents": []string{"writes"}}}}),
		call("read_graph", args{}), call("search_nodes", args{"query": "writes"}), call("open_nodes", args{"names": "Ada"}),
		call("delete_observations", args{"deletions": []args{{"entityName": "Ada", "observations": []string{"writes"}}}}),
		call("delete_relations", args{"relations": []args{knows}}), call("delete_entities", args{"entityNames": []string{"Ada"}}),
	})
}

func TestThePublishedServiceOfEverything(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("ARC_TEST_MARK=everything-%d", os.Getpid())
	one := published(t, "mcp-server-everything")
	one.Env = []string{mark}
	s := attach(t, one, nil)
	call := func(name string, a args) arc.Call { return arc.Call{Name: "peer__" + name, Args: object(t, a)} }
	callAll(t, s, []arc.Call{
		call("echo", args{"message": "x"}), call("get-annotated-message", args{"messageType": "error", "includeImage": true}),
		call("get-env", args{}), call("get-resource-links", args{"count": "2"}), call("get-resource-reference", args{"resourceType": "Blob"}),
		call("get-structured-content", args{"location": "Chicago"}), call("get-sum", args{"a": "1", "b": 2}), call("get-tiny-image", args{}),
		call("gzip-file-as-resource", args{"data": "data:text/plain,x"}), call("toggle-simulated-logging", args{}), call("toggle-subscriber-updates", args{}),
		call("trigger-long-running-operation", args{"duration": 0.2, "steps": 2}), call("trigger-elicitation-request", args{}),
	})
	if r := ask(t, s, "peer__get-sum", `{"a":"1","b":2}`); r.Body != "The sum of 1 and 2 is 3." {
		t.Errorf("a sum is %s", r)
	}
	if r := ask(t, s, "peer__get-tiny-image", `{}`); len(r.Images) != 1 {
		t.Errorf("a picture is %s", r)
	}
	if r := ask(t, s, "peer__get-structured-content", `{"location":"Chicago"}`); strings.Count(r.Body, "temperature") != 1 {
		t.Errorf("structured content is %s", r)
	}
	t.Run("is started again when it is killed in mid-call", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("its process is found in /proc")
		}
		in := turn("me", "peer")
		var once sync.Once
		in.Progress = func(arc.Call, arc.Progress) { once.Do(func() { kill(t, mark) }) }
		r := session(t, s, in, nil).Call(t.Context(), call("trigger-long-running-operation", args{"duration": 100, "steps": 1000}))
		if code(r) != arc.Unavailable || !strings.Contains(r.Err.Message, "during this call") {
			t.Errorf("the call answers %s", r)
		}
		if r := ask(t, s, "peer__echo", `{"message":"again"}`); r.Body != "Echo: again" {
			t.Errorf("the next call answers %s", r)
		}
	})
}

// kill kills the processes that have a setting in their environment.
func kill(t testing.TB, setting string) {
	for _, pid := range marked(t, setting) {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
}
