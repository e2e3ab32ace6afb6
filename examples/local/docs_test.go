package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/docs/fitz"
	"github.com/arcseat/arc/examples/local"
)

// A host that knows passwords says them; a model never sees one.
func ExampleOptions_password() {
	ctx := context.Background()
	scratch, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(scratch)
	dir := filepath.Join(scratch, "project")
	fake := docstest.NewFake() // leave Engine out for the real one
	letter := fake.File(docstest.Script{Pages: docstest.Text("Dear reader,"), Password: "sesame"})
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "letter.pdf"), letter, 0o600)); err != nil {
		log.Fatal(err)
	}

	host, err := local.Open(dir, &local.Options{
		State:  filepath.Join(scratch, "state"),
		Engine: fake,
		Docs: &docs.Options{Password: func(_ context.Context, path string) (string, error) {
			return map[string]string{"letter.pdf": "sesame"}[path], nil // or a question to the user, or a vault
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close(ctx)
	read, err := host.Docs.Read(ctx, "", docs.ReadArgs{Path: "letter.pdf"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Pages[0].Text)
	// Output: Dear reader,
}

// needEngine skips a test on a machine whose programs read no PDF files.
func needEngine(t *testing.T) {
	t.Helper()
	e, err := fitz.New(t.Context(), nil)
	if errors.Is(err, docs.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// letter is a real PDF file.
func letter() []byte {
	return docstest.File{Title: "A letter", Pages: []docstest.Page{
		{Lines: []string{"Dear reader,", "the meeting is at noon."}},
		{Ink: true},
	}}.Bytes()
}

func TestPDFFilesOfTheProject(t *testing.T) {
	t.Parallel()
	needEngine(t)
	host, dir := open(t, local.Options{})
	if err := os.WriteFile(filepath.Join(dir, "letter.pdf"), letter(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session(t, host, nil)
	for _, c := range []struct{ name, args, want string }{
		{"workspace_document_inspect", `{"path":"letter.pdf"}`, `"page_count":2`},
		{"workspace_document_search", `{"path":"letter.pdf","query":"READER, THE"}`, "page 1: Dear reader, the meeting"},
		{"workspace_document_read", `{"path":"letter.pdf"}`, "\n[page 1]\nDear reader,\nthe meeting is at noon."},
	} {
		if r := s.Call(t.Context(), arc.Call{Name: c.name, Args: json.RawMessage(c.args)}); r.Err != nil || !strings.Contains(r.String(), c.want) {
			t.Errorf("%s answers %s", c.name, r)
		}
	}
}

func TestAReadOfAPDFFileGoesOnInTheToolForThem(t *testing.T) {
	t.Parallel()
	needEngine(t)
	host, dir := open(t, local.Options{})
	if err := os.WriteFile(filepath.Join(dir, "letter.pdf"), append(letter(), 0), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session(t, host, nil)
	r := s.Call(t.Context(), arc.Call{Name: "workspace_read", Args: json.RawMessage(`{"path":"letter.pdf"}`)})
	if r.Err == nil || r.Err.Next == nil {
		t.Fatalf("it answers %s", r)
	}
	listed := slices.ContainsFunc(s.List(), func(d arc.Definition) bool { return d.Name == r.Err.Next.Tool })
	args, err := json.Marshal(r.Err.Next.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if next := s.Call(t.Context(), arc.Call{Name: r.Err.Next.Tool, Args: args}); !listed || next.Err != nil || !strings.Contains(next.String(), `"page_count":2`) {
		t.Errorf("the next call answers %s; it is listed: %t", next, listed)
	}
}

func TestAPDFFileOfTheWebIsShownAsText(t *testing.T) {
	t.Parallel()
	needEngine(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Write(letter())
	}))
	t.Cleanup(srv.Close)
	host, _ := open(t, local.Options{Access: arc.FullAccess})
	r := session(t, host, nil).Call(t.Context(), arc.Call{Name: "web_fetch", Args: json.RawMessage(`{"url":"` + srv.URL + `/letter.pdf"}`)})
	if want := "[page 1]\nDear reader,\nthe meeting is at noon.\n[page 2: a picture without text (no OCR)]\n"; r.Err != nil || r.Body != want {
		t.Errorf("it is %s", r)
	}
}

// What cannot read a PDF file says so, and what is to be installed, in the project and
// from the web.
func TestWithoutAnEngineTheToolsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	host, dir := open(t, local.Options{Engine: docs.Missing(docs.Unavailable("install a C compiler"))})
	if err := os.WriteFile(filepath.Join(dir, "letter.pdf"), letter(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session(t, host, nil)
	for _, name := range []string{"workspace_document_inspect", "workspace_document_read", "workspace_document_search"} {
		r := s.Call(t.Context(), arc.Call{Name: name, Args: json.RawMessage(`{"path":"letter.pdf","query":"noon"}`)})
		if r.Err == nil || r.Err.Code != arc.Unavailable || !strings.Contains(r.Err.Message, "install a C compiler") {
			t.Errorf("%s answers %s", name, r)
		}
	}
	if _, err := host.Docs.Text(t.Context(), letter()); !errors.Is(err, arc.Unavailable) {
		t.Errorf("a file of the web is %v", err)
	}
}
