package docs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/toolstest"
)

var turn = arc.Turn{Env: arc.Env{Project: true}, Origin: arc.Origin{Seat: seat, Turn: "turn_1"}}

func (p *project) session() *tools.Session {
	p.t.Helper()
	set, err := tools.NewSet([]arc.Provider{p}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return set.Session(turn)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s\na needle on page %d\n%s", prose(3000), i+1, prose(3000))
	}
	texts[40] = strings.Repeat("a needle é 漢\n", 20_000)
	p.texts("a.pdf", texts...)
	p.script("scan.pdf", docstest.Script{Pages: docstest.Scan(20)})
	p.script("bad.pdf", docstest.Script{Pages: docstest.Text("x"), Read: docstest.CrashAt(1)})
	p.put("text.pdf", []byte("words"))
	call := func(name, format string, args ...any) arc.Call {
		return arc.Call{Name: "workspace_document_" + name, Args: fmt.Appendf(nil, format, args...)}
	}
	toolstest.Run(t, p, &toolstest.Options{
		Turn: &turn,
		Calls: []arc.Call{
			call("inspect", `{"path":"a.pdf"}`),
			call("inspect", `{"path":"scan.pdf"}`),
			call("inspect", `{"path":"text.pdf"}`),
			call("read", `{"path":"a.pdf"}`),
			call("read", `{"path":"a.pdf","start_page":38,"end_page":60}`),
			call("read", `{"path":"bad.pdf"}`),
			call("read", `{"path":"scan.pdf","start_page":21}`),
			call("search", `{"path":"a.pdf","query":"needle"}`),
			call("search", `{"path":"a.pdf","query":"needle","start_page":39,"limit":3}`),
			call("search", `{"path":"scan.pdf","query":"needle"}`),
		},
	})
}

func TestToolsAreWhatTheSourceDocumentsSay(t *testing.T) {
	t.Parallel()
	for _, tool := range newProject(t, nil).Tools() {
		toolstest.Schema(t, tool)
		d := tool.Definition(turn.Env)
		if d.Listing != arc.Discover || d.Needs != (arc.Needs{Project: true}) || d.Effects != (arc.Effects{ReadOnly: true}) {
			t.Errorf("%s is %+v", d.Name, d)
		}
	}
}

func TestWhatADescriptionMustSay(t *testing.T) {
	t.Parallel()
	facts := map[string][]string{
		"workspace_document_inspect": {"untrusted data", "No OCR", "metadata"},
		"workspace_document_read":    {"untrusted data", "12 pages", "next_call"},
		"workspace_document_search":  {"untrusted data", "literal", "any case", "no text"},
	}
	for _, tool := range newProject(t, nil).Tools() {
		d := tool.Definition(turn.Env)
		for _, fact := range facts[d.Name] {
			if !strings.Contains(d.Description, fact) {
				t.Errorf("%s does not say %q: %s", d.Name, fact, d.Description)
			}
		}
	}
}

func TestThroughASession(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	pages := docstest.Text("The first page\nof a report.", "", "The third page of it.")
	pages[1] = docstest.Scan(1)[0]
	p.script("a.pdf", docstest.Script{Pages: pages})
	s := p.session()
	hash := p.read(docs.ReadArgs{Path: "a.pdf"}).SHA256
	call := func(name, args string) *arc.Result {
		return s.Call(t.Context(), arc.Call{Name: "workspace_document_" + name, Args: []byte(args)})
	}
	t.Run("a read is a line of JSON and the pages as they are", func(t *testing.T) {
		want := `{"path":"a.pdf","sha256":"` + hash + `","page_count":3,"requested":{"start_page":1,"end_page":3},"pages":[` +
			`{"page":1,"characters":27,"start_character":0,"end_character":27,"status":"sparse"},` +
			`{"page":2,"characters":0,"start_character":0,"end_character":0,"status":"image_only"},` +
			`{"page":3,"characters":21,"start_character":0,"end_character":21,"status":"sparse"}],"truncated":false,"untrusted":true,` +
			`"notices":["Not all is text here: page 2 is a picture without text (no OCR)."]}` + "\n" +
			"[page 1]\nThe first page\nof a report.\n[page 2]\n\n[page 3]\nThe third page of it."
		if got := call("read", `{"path":"a.pdf"}`).String(); got != want {
			t.Errorf("it is %s\nwant %s", got, want)
		}
	})
	t.Run("a search is counts and a line for each match", func(t *testing.T) {
		r := call("search", `{"path":"a.pdf","query":"PAGE OF"}`)
		want := `{"path":"a.pdf","sha256":"` + hash + `","query":"PAGE OF","page_count":3,"pages_searched":{"start_page":1,"end_page":3},"match_count":2,"pages_with_matches":2,` +
			`"pages_without_text":{"count":1,"pages":"2"},"pages_garbled":{"count":0},"pages_failed":{"count":0},"truncated":false,"untrusted":true,` +
			`"notices":["The query may also stand where no search sees it, on 1 of the 3 pages searched: page 2 has no text, and is not read if it is a picture (no OCR)."]}` + "\n" +
			"page 1: The first page of a report.\npage 3: The third page of it."
		if got := r.String(); got != want {
			t.Errorf("it is %s\nwant %s", got, want)
		}
		if !slices.Contains(r.Offers, "workspace_document_read") {
			t.Errorf("it offers %q", r.Offers)
		}
	})
	t.Run("an inspection has no body, and reading is the next call", func(t *testing.T) {
		r := call("inspect", `{"path":"a.pdf"}`)
		if r.Body != "" || r.Next == nil || r.Next.Tool != "workspace_document_read" || r.Err != nil {
			t.Errorf("it is %s", r)
		}
	})
	t.Run("what was read is told", func(t *testing.T) {
		for _, name := range []string{"inspect", "read", "search"} {
			r := call(name, map[string]string{"search": `{"path":"a.pdf","query":"x"}`}[name]+map[string]string{"inspect": `{"path":"a.pdf"}`, "read": `{"path":"a.pdf"}`}[name])
			if want := []arc.Touch{{Kind: "read", Path: "a.pdf", SHA256: hash}}; !slices.Equal(r.Touched, want) {
				t.Errorf("%s touched %+v", name, r.Touched)
			}
		}
	})
	t.Run("values under 1 are refused", func(t *testing.T) {
		for name, args := range map[string]string{"read": `{"path":"a.pdf","start_page":0}`, "search": `{"path":"a.pdf","query":"x","limit":0}`} {
			if r := call(name, args); r.Err == nil || r.Err.Code != arc.InvalidArguments {
				t.Errorf("%s %s: %s", name, args, r)
			}
		}
	})
	t.Run("a match far inside a long page says where to read", func(t *testing.T) {
		p.texts("long.pdf", prose(30_000)+"\nneedle")
		r := call("search", `{"path":"long.pdf","query":"needle"}`)
		if !strings.HasPrefix(r.Body, "page 1, start_character 30") {
			t.Errorf("it is %s", r.Body)
		}
	})
}

// Whatever a document holds, no result is longer than 64 KiB as it is sent.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	p := newProject(t, &docs.Options{MaxCharacters: 1_000_000})
	long := strings.Repeat("\"é", 300)
	var pages []docs.Page
	for i := range 300 {
		page := docs.Page{Text: strings.Repeat("漢字 \\\" ", 3000), Label: long, Ink: 0.3, HasInk: true}
		for w := range 40 {
			page.Warnings = append(page.Warnings, fmt.Sprintf("warning_%d_%s", w, strings.Repeat("x", 50)))
		}
		if i%2 == 0 {
			page = docs.Page{HasInk: true, Ink: 0.3, Label: long, Warnings: page.Warnings}
		}
		if i > 200 {
			page.Text = "漢"
		}
		pages = append(pages, page)
	}
	path := strings.Repeat(`"`, 200) + ".pdf"
	p.script(path, docstest.Script{Pages: pages, Info: docs.Info{
		Metadata: docs.Metadata{Title: long, Author: long, Subject: long, Keywords: long, Creator: long, Producer: long, Created: long, Modified: long},
		Warnings: pages[1].Warnings, Format: long, Encryption: long,
	}})
	s := p.session()
	quoted, err := json.Marshal(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, args string }{
		{"inspect", ``}, {"read", ``}, {"read", `,"end_page":12`}, {"read", `,"start_page":201,"end_page":299`},
		{"search", `,"query":"漢"`}, {"search", `,"query":"字","limit":50`}, {"search", `,"query":"nothing"`}, {"search", `,"query":"漢","start_page":201,"limit":50`},
	} {
		args := `{"path":` + string(quoted) + c.args + `}`
		for range 3 {
			r := s.Call(t.Context(), arc.Call{Name: "workspace_document_" + c.name, Args: []byte(args)})
			if r.Err != nil {
				t.Fatalf("%s: %v", c.args, r.Err)
			}
			text := r.String()
			head, _, _ := strings.Cut(text, "\n")
			if len(text) > tools.MaxBody || len(head) > tools.MaxHeader/2 {
				t.Errorf("%s %s has %d bytes, its header %d", c.name, c.args, len(text), len(head))
			}
			if r.Next == nil {
				break
			}
			next, err := json.Marshal(r.Next.Arguments)
			if err != nil {
				t.Fatal(err)
			}
			args = string(next)
		}
	}
}
