package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/examples/internal/paint"
	"github.com/arcseat/arc/examples/local"
	"github.com/arcseat/arc/internal/fakemodel"
	"github.com/arcseat/arc/tools"
)

// lease is a contract of 500 pages: every 20th has the clause, parted by the end of a
// line, and page 333 is a schedule that no result holds whole.
func lease() docstest.File {
	f := docstest.File{Title: "Lease"}
	for n := 1; n <= 500; n++ {
		p := docstest.Page{Lines: []string{fmt.Sprintf("Sheet %d of the lease", n)}}
		for l := range 25 {
			p.Lines = append(p.Lines, fmt.Sprintf("On line %d the landlord and the tenant agree to one thing more, and to %d others.", l, n))
		}
		if n%20 == 0 {
			p.Lines = append(p.Lines, "The tenant pays for the termi-", fmt.Sprintf("nation of the lease, in the case %d, nine rents.", n/20))
		}
		if n == 333 {
			p.Lines = nil
			for i := range scheduled {
				p.Lines = append(p.Lines, fmt.Sprintf("Item %d of the schedule: a thing of the landlord's that the tenant may use.", i))
			}
		}
		f.Pages = append(f.Pages, p)
	}
	return f
}

const scheduled = 900 // items of the schedule

// A clause in a 500-page PDF: inspect, search (two pages of hits through the next
// call), read the page, continue one dense page with start_character; a scanned twin is
// reported as such.
func TestAClauseInA500PagePDF(t *testing.T) {
	t.Parallel()
	needEngine(t)
	dir := t.TempDir()
	scan := docstest.File{Pages: slices.Repeat([]docstest.Page{{Ink: true}}, 12)}
	for name, f := range map[string]docstest.File{"lease.pdf": lease(), "scan.pdf": scan} {
		if err := os.WriteFile(filepath.Join(dir, name), f.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		srv := serve(t, clauseScript())
		results := &recorder{}
		j := job{
			task: "What does it cost to end the lease? And what does its scan say of that?", dir: dir, steps: 100, model: d.model(srv.URL()),
			local: local.Options{State: t.TempDir()}, watch: []tools.Middleware{results.watch},
		}
		var out, stderr bytes.Buffer
		if code := j.do(t.Context(), &screen{Paper: paint.Paper{Out: &out, Width: 100}}, &stderr); code != exitDone || stderr.Len() > 0 {
			t.Fatalf("exit code %d\n%s\n%s", code, out.String(), stderr.String())
		}
		results.check(t)
	})
}

// clauseScript is what a model does that looks for the clause. Each of its calls that
// goes on is the one that the result before it names.
func clauseScript() fakemodel.Script {
	type fields = map[string]any
	return fakemodel.Script{Steps: []fakemodel.Step{
		{
			Name: "look for a reader", When: fakemodel.Match{Unlisted: []string{"workspace_document_search"}},
			Calls: one("tool_search", `{"query":"find a clause in a PDF"}`),
		},
		{Name: "inspect", Calls: one("workspace_document_inspect", `{"path":"lease.pdf"}`)},
		{
			Name: "search", When: fakemodel.Match{Fields: fields{"page_count": 500, "text_layer.status": "text"}},
			Calls: one("workspace_document_search", `{"path":"lease.pdf","query":"Termination of the lease"}`),
		},
		{
			Name: "the other hits", When: fakemodel.Match{Fields: fields{"match_count": 20, "truncated": true, "next_call.tool": "workspace_document_search"}},
			Do: follow,
		},
		{
			Name: "read", When: fakemodel.Match{Fields: fields{"match_count": 5, "next_call": nil}},
			Pull:  map[string]fakemodel.Pull{"page": {Regexp: `(?m)^page (\d+): .*case 25`}},
			Calls: one("workspace_document_read", `{"path":"lease.pdf","start_page":"${page}","end_page":"${page}"}`),
		},
		{
			Name: "read the schedule", When: fakemodel.Match{Contains: "nation of the lease, in the case 25, nine rents."},
			Pull:  map[string]fakemodel.Pull{"price": {Regexp: `, (\w+ rents)\.`}},
			Calls: one("workspace_document_read", `{"path":"lease.pdf","start_page":333,"end_page":333}`),
		},
		{Name: "go on in it", When: fakemodel.Match{Fields: fields{"truncated": true, "next_call.arguments.start_page": 333}}, Do: follow},
		{Name: "and to its end", When: fakemodel.Match{Fields: fields{"truncated": true, "next_call.arguments.start_page": 333}}, Do: follow},
		{
			Name: "inspect the scan", When: fakemodel.Match{Contains: fmt.Sprintf("Item %d of", scheduled-1), Fields: fields{"truncated": false, "next_call": nil}},
			Calls: one("workspace_document_inspect", `{"path":"scan.pdf"}`),
		},
		{
			Name: "search the scan", When: fakemodel.Match{Fields: fields{"text_layer.status": "image_only"}},
			Calls: one("workspace_document_search", `{"path":"scan.pdf","query":"termination"}`),
		},
		{
			Name: "finish", When: fakemodel.Match{Fields: fields{"match_count": 0, "pages_without_text.count": 12}, Contains: `"notices":["`},
			Calls: one("finish", `{"summary":"To end the lease costs ${price}, as page ${page} says. The scan is pictures, which nobody can search."}`),
		},
	}}
}

// follow makes the call that the newest result names.
func follow(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
	last, _ := r.Last("")
	next, ok := last.Header()["next_call"].(map[string]any)
	if !ok {
		return "", nil, fmt.Errorf("no next call after %s", last.Text)
	}
	return "", []fakemodel.Call{{Tool: next["tool"].(string), Args: next["arguments"]}}, nil
}

// A recorder keeps the results of documents.
type recorder struct {
	mu    sync.Mutex
	dense strings.Builder // the schedule, as it was read
	parts int
	rest  []string // the other results, as a model sees them
}

func (k *recorder) watch(next tools.Handler) tools.Handler {
	return func(ctx context.Context, c arc.Call) *arc.Result {
		r := next(ctx, c)
		k.mu.Lock()
		defer k.mu.Unlock()
		if read, ok := r.Data.(*docs.ReadResult); ok && len(read.Pages) == 1 && read.Pages[0].Page == 333 {
			k.dense.WriteString(read.Pages[0].Text)
			k.parts++
		} else {
			k.rest = append(k.rest, r.String())
		}
		return r
	}
}

func (k *recorder) check(t *testing.T) {
	t.Helper()
	if got, want := k.dense.String(), strings.Join(lease().Pages[332].Lines, "\n"); got != want || k.parts != 3 {
		t.Errorf("in %d parts the schedule is\n%.300s…\nwant\n%.300s…", k.parts, got, want)
	}
	spent := len(strings.Join(k.rest, ""))
	if most := 3 * 6000; spent > most { // a token has more than three bytes
		t.Errorf("all results but the schedule's have %d bytes, want %d at most", spent, most)
	}
	t.Logf("%d results of %d bytes beside the schedule's", len(k.rest), spent)
}
