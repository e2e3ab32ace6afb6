//go:build linux && cgo

package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/docs/fitz"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/workspace"
)

// contract is a file of 500 pages, 30 of which name the clause, and one of which is
// a schedule that no result can hold whole.
func contract() docstest.File {
	f := docstest.File{Title: "Contract"}
	for n := 1; n <= 500; n++ {
		p := docstest.Page{Typeset: n%2 == 0}
		for l := range 30 {
			p.Lines = append(p.Lines, fmt.Sprintf("Line %d of page %d says what the parties agree to do and to leave.", l, n))
		}
		if n%17 == 0 {
			p.Lines[12] = "The indemni-"
			p.Lines[13] = fmt.Sprintf("fication clause number %d limits what is owed.", n/17)
		}
		if n == 400 {
			for l := range 900 {
				p.Lines = append(p.Lines, fmt.Sprintf("Item %d of the schedule that belongs to the clause, with its price and date", l))
			}
		}
		f.Pages = append(f.Pages, p)
	}
	return f
}

// A clause in a long PDF is found, read and told from a scan, in the project of a
// workspace, by the tools as a model calls them.
func TestAClauseInALongPDF(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scan := docstest.File{}
	for range 20 {
		scan.Pages = append(scan.Pages, docstest.Page{Ink: true})
	}
	for name, f := range map[string]docstest.File{"contract.pdf": contract(), "scan.pdf": scan} {
		if err := os.WriteFile(filepath.Join(dir, name), f.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, &workspace.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	engine, err := fitz.New(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	library := docs.New(ws, engine, nil)
	t.Cleanup(func() { library.Close() })
	set, err := tools.NewSet([]arc.Provider{library}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := set.Session(turn)
	spent := 0 // bytes of results, but for the dense page's
	call := func(name, args string) *arc.Result {
		t.Helper()
		r := s.Call(t.Context(), arc.Call{Name: name, Args: []byte(args)})
		if r.Err != nil {
			t.Fatalf("%s %s: %s", name, args, r)
		}
		return r
	}
	follow := func(r *arc.Result) *arc.Result {
		t.Helper()
		if r.Next == nil {
			t.Fatalf("no next call after %s", r)
		}
		args, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		return call(r.Next.Tool, string(args))
	}
	count := func(r *arc.Result) *arc.Result { spent += len(r.String()); return r }

	about := count(call("workspace_document_inspect", `{"path":"contract.pdf"}`)).Data.(*docs.InspectResult)
	if about.PageCount != 500 || about.TextLayer.Status != docs.LayerText {
		t.Fatalf("the contract is %+v", about)
	}
	first := count(call("workspace_document_search", `{"path":"contract.pdf","query":"Indemnification clause"}`))
	second := count(follow(first))
	if a, b := first.Data.(*docs.SearchResult), second.Data.(*docs.SearchResult); a.MatchCount != 20 || b.MatchCount != 9 || second.Next != nil || !a.Matches[0].Joined {
		t.Fatalf("found %d and %d", a.MatchCount, b.MatchCount)
	}
	if r := count(call("workspace_document_read", `{"path":"contract.pdf","start_page":34,"end_page":34}`)); !strings.Contains(r.Body, "clause number 2 limits") {
		t.Errorf("page 34 is %s", r)
	}
	var items strings.Builder
	calls := 0
	for r := call("workspace_document_read", `{"path":"contract.pdf","start_page":400,"end_page":400}`); ; r = follow(r) {
		calls++
		items.WriteString(r.Data.(*docs.ReadResult).Pages[0].Text)
		if r.Next == nil {
			break
		}
	}
	if text := items.String(); calls < 3 || strings.Count(text, "of the schedule") != 900 || !strings.Contains(text, "Item 899 ") {
		t.Errorf("in %d calls the schedule has %d items", calls, strings.Count(text, "of the schedule"))
	}
	twin := count(call("workspace_document_inspect", `{"path":"scan.pdf"}`)).Data.(*docs.InspectResult)
	none := count(call("workspace_document_search", `{"path":"scan.pdf","query":"clause"}`))
	if twin.TextLayer.Status != docs.LayerImageOnly || len(none.Notices) != 1 || none.Data.(*docs.SearchResult).WithoutText.Count != 20 {
		t.Errorf("the scan is %+v, searched %s", twin.TextLayer, none)
	}
	if spent > 4*6000 { // a token has four letters or so
		t.Errorf("all but the schedule took %d bytes", spent)
	}
	t.Logf("%d bytes but for the schedule, which took %d calls", spent, calls)
}

// A page of more than a million characters is read in parts that make the whole.
func TestADensePageIsReadWhole(t *testing.T) {
	t.Parallel()
	var page docstest.Page
	for i := range 30_000 {
		page.Lines = append(page.Lines, fmt.Sprintf("Line %d of a page that has all of them on it", i))
	}
	path := filepath.Join(t.TempDir(), "dense.pdf")
	if err := os.WriteFile(path, docstest.File{Pages: []docstest.Page{page}}.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCorpus(t, nil)
	r := c.use("read", `{"path":%q}`, path)
	if r.Err != nil || r.Data.(*docs.ReadResult).Pages[0].Characters < 1_300_000 {
		t.Fatalf("it is %.300s", r)
	}
	c.joins(path, 1)
}
