package local_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

// A vast is a project in which everything is too large, and the words that its tools
// are called with.
type vast struct {
	tools map[string]arc.Tool
	turn  arc.Turn
	words map[string][]string // values of string properties, by tool and property or by property
}

func newVast(t *testing.T) *vast {
	fake := docstest.NewFake()
	page := strings.Repeat("words é 漢 🙂 ", 20_000)
	hits := make([]webtool.Hit, 50)
	for i := range hits {
		hits[i] = webtool.Hit{Title: page[:50_000], URL: fmt.Sprintf("http://example.com/%d/%s", i, strings.Repeat("x", 1500)), Snippet: page[:50_000]}
	}
	net := webtest.NewNet()
	net.Name("example.com", "93.184.216.34")
	stop := net.Serve("93.184.216.34:80", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", map[string]string{"/html": "text/html; charset=utf-8", "/text": "text/plain; charset=utf-8", "/bytes": "text/plain"}[r.URL.Path])
		switch r.URL.Path {
		case "/html":
			fmt.Fprintf(w, "<title>%s</title><p>%s<pre>%s</pre>", page, page, strings.Repeat("<a href=/x>\\ </a>", 10_000))
		case "/text":
			w.Write([]byte(page))
		case "/bytes":
			w.Write([]byte(strings.Repeat("\xff\x00", 500_000)))
		}
	}))
	t.Cleanup(stop)
	host, dir := open(t, local.Options{
		Access: arc.FullAccess, Engine: fake, Screen: computertest.New(1280, 800), Providers: []arc.Provider{seat.Tools()},
		Web:      &webtool.Options{Resolver: net, Dial: net.Dial, Search: []webtool.Searcher{&webtest.Fake{Hits: hits}}, Limits: webtool.Limits{PerMinute: 1 << 20}},
		Services: []mcptool.Service{archive(page)},
	})
	files := map[string]string{
		"long.txt":  page,
		"lines.txt": strings.Repeat("words\n", 100_000),
		"odd.txt":   strings.Repeat("words \x01\x1b[31m\u2028\\\"<&>\n", 50_000),
		"latin.txt": strings.Repeat("words \xff\xfe", 50_000),
		"book.pdf":  string(fake.File(docstest.Script{Pages: docstest.Text(page, page, "words", page)})),
		"many.pdf":  string(fake.File(docstest.Script{Pages: docstest.Text(strings.Split(strings.Repeat("words|", 3000), "|")...)})),
	}
	for i := range 1500 {
		files[fmt.Sprintf("many/%04d-%s", i, strings.Repeat("é", 110))] = "words\n"
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v := &vast{tools: map[string]arc.Tool{}, turn: host.Turn(arc.Origin{Seat: "s"}), words: map[string][]string{
		"path":                         {"long.txt", "lines.txt", "odd.txt", "latin.txt", "book.pdf", "many.pdf", "many", strings.Repeat("no/", 5000)},
		"workspace_list path":          {"many", "."},
		"workspace_search path":        {"", "many", "odd.txt"},
		"workspace_document_read path": {"book.pdf", "many.pdf", "long.txt"},
		"query":                        {"words", "é", "nowhere", page[:3000]},
		"command":                      {"cat long.txt", "cat lines.txt latin.txt", "yes '\x01\xff' | head -c 3000000", "printf '%s\n' many/*; exit 3"},
		"cwd":                          {"", "many"},
		"url":                          {"http://example.com/html", "http://example.com/text", "http://example.com/bytes", "http://example.com/" + page[:5000]},
		"service_id":                   {"archive"},
		"old_string":                   {page[:40_000], "words"}, "new_string": {"x", page},
		"after": {"many/0700"}, "before": {""},
		"action": {"screenshot", "zoom", "nothing"},
	}}
	for _, p := range host.Providers() {
		for _, tool := range p.Tools() {
			v.tools[tool.Definition(v.turn.Env).Name] = tool
		}
	}
	v.learn(t)
	return v
}

// learn makes the calls whose results have ids that other calls want.
func (v *vast) learn(t *testing.T) {
	ids := func(tool, args string) map[string]any {
		r, err := v.tools[tool].Call(t.Context(), arc.Call{Turn: v.turn, ID: "c", Name: tool, Args: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		data, err := json.Marshal(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]any{}
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for i := range 60 {
		args := fmt.Sprintf(`{"path":"new/%s/%d","content":"words"}`, strings.Repeat(strings.Repeat("é", 100)+"/", 8), i)
		v.words["change_id"] = []string{fmt.Sprint(ids("workspace_write", args)["change_id"])}
	}
	v.words["spool_id"] = []string{fmt.Sprint(ids("shell_exec", `{"command":"cat long.txt latin.txt"}`)["spool_id"])}
	job := ids("shell_exec", `{"command":"cat long.txt latin.txt; sleep 600","block_budget_sec":0.2}`)
	v.words["job_id"] = []string{fmt.Sprint(job["job_id"])}
	v.words["output_id"] = []string{fmt.Sprint(ids("archive__export", `{}`)["output_id"])}
}

// arguments are some that the schema takes, the ones more often that make a result large.
func (v *vast) arguments(t *rapid.T, tool string, r rule) map[string]any {
	args := map[string]any{}
	required := fmt.Sprint(r["required"])
	names, _ := r["properties"].(map[string]any)
	for name := range names {
		p := r.property(name)
		values, ok := v.words[tool+" "+name]
		if !ok {
			values = v.words[name]
		}
		switch p.types()[0] {
		case "string":
			if values != nil {
				args[name] = rapid.SampledFrom(values).Draw(t, name)
			} else if strings.Contains(required, name) {
				args[name] = "words"
			}
		case "boolean":
			args[name] = rapid.Bool().Draw(t, name)
		case "integer":
			if n := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 5, 12, 50, 1000, 65536, 1 << 30}).Draw(t, name); n > 0 {
				args[name] = n
				if most, ok := p["maximum"].(float64); ok {
					args[name] = min(n, int(most))
				}
			}
		}
	}
	return args
}

// call calls the tool, past any session, and looks at how much it returns.
func (v *vast) call(t *rapid.T, name, id string) *arc.Result {
	var r rule
	if err := json.Unmarshal(v.tools[name].Definition(v.turn.Env).Schema, &r); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(v.arguments(t, name, r))
	if err != nil {
		t.Fatal(err)
	}
	call := arc.Call{Turn: v.turn, ID: id, Name: name, Args: args}
	call.Seat = anySeat{}
	res, _ := v.tools[name].Call(t.Context(), call)
	if res == nil {
		return nil
	}
	if len(res.Body) > tools.MaxBody {
		t.Errorf("%s %.200s has a body of %d bytes", name, args, len(res.Body))
	}
	if text, err := res.AppendText(nil); err != nil || len(text)-len(res.Body) > tools.MaxHeader {
		t.Errorf("%s %.200s has a header of %d bytes, %v", name, args, len(text)-len(res.Body), err)
	}
	return res
}

// No tool returns more than its bounds, whatever is asked of it; and it is the tool
// that keeps them, before a session would cut. What an operator's verbs return is exact,
// and has other bounds.
func TestNoResultIsTooLong(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the shell of this test is a POSIX one")
	}
	v := newVast(t)
	names := slices.Sorted(maps.Keys(v.tools))
	longest, calls, cut := map[string]int{}, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		for range 3 {
			name := rapid.SampledFrom(names).Draw(rt, "tool")
			r := v.call(rt, name, fmt.Sprintf("c%d", calls))
			calls++
			if r == nil {
				continue // a refusal: the session words it, and has its own bound
			}
			longest[name] = max(longest[name], len(r.Body))
			if r.Next != nil {
				cut++
			}
		}
	})
	if cut == 0 {
		t.Error("nothing was too long: the calls ask for too little")
	}
	most := 0
	for _, n := range longest {
		most = max(most, n)
	}
	t.Logf("%v", longest)
	t.Logf("score: bounded %d ≤ %d bytes in the longest Body of %d calls, %d of them cut", most, tools.MaxBody, calls, cut)
}
