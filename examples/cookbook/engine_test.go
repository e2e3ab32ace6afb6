package cookbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

// Poppler reads PDF files with the programs pdfinfo and pdftotext, each run in a process
// of its own. A product limits their memory as well, and has docstest.Run in its tests,
// which holds an engine to all that package docs asks. For an engine that is a library,
// docs/worker has the process.
type Poppler struct{}

// Name is a part of the key under which text is kept.
func (Poppler) Name() string { return "poppler" }

// Open returns the errors of package docs, which become what a model is told.
func (Poppler) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	d := &popplerFile{src.File, o.Password, 0}
	out, err := d.run(ctx, "pdfinfo")
	if err != nil {
		return nil, err
	}
	pages := regexp.MustCompile(`(?m)^Pages:\s+(\d+)$`).FindSubmatch(out)
	if pages == nil {
		return nil, docs.ErrDamaged
	}
	d.pages, err = strconv.Atoi(string(pages[1]))
	return d, err
}

type popplerFile struct {
	file     *os.File
	password string
	pages    int
}

// run gives the program the file as its descriptor 3, so that no path is followed
// twice.
func (d *popplerFile) run(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, append(args, "-upw", d.password, "/dev/fd/3")...)
	if name == "pdftotext" {
		cmd.Args = append(cmd.Args, "-")
	}
	cmd.ExtraFiles = []*os.File{d.file}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bytes.Contains(said.Bytes(), []byte("Incorrect password")):
		return nil, docs.ErrEncrypted
	case err != nil:
		return nil, docs.ErrDamaged
	}
	return out, nil
}

func (d *popplerFile) Info(context.Context) (docs.Info, error) {
	return docs.Info{Pages: d.pages, LastLoads: true}, nil
}

// Pages does not measure ink: package docs then says no_text where it cannot know
// whether a page is empty.
func (d *popplerFile) Pages(ctx context.Context, first, last int, _ docs.Want) ([]docs.Page, error) {
	var pages []docs.Page
	for n := first; n <= last; n++ {
		p := docs.Page{Number: n}
		out, err := d.run(ctx, "pdftotext", "-nopgbrk", "-enc", "UTF-8", "-f", strconv.Itoa(n), "-l", strconv.Itoa(n))
		if ctx.Err() != nil {
			return pages, err
		}
		if p.Text = string(out); err != nil {
			p.Err = docs.ErrPage // this page's alone
		}
		pages = append(pages, p)
	}
	return pages, nil
}

func (d *popplerFile) Close() error { return nil }

// Another PDF engine, behind the same three tools. A host gives docs.New its workspace
// as the first argument, and a model paths in it. It runs where pdftotext is installed.
func Example_engine() {
	library := docs.New(nil, Poppler{}, nil)
	defer library.Close()
	lease := docstest.File{Pages: []docstest.Page{{Lines: []string{"The notice period is three months."}}}}
	text, err := library.Text(context.Background(), lease.Bytes())
	fmt.Println(text, err)
}

func TestTheRecipeReadsAPDF(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed")
	}
	library := docs.New(nil, Poppler{}, nil)
	defer library.Close()
	lease := docstest.File{Password: "key", Pages: []docstest.Page{{Lines: []string{"The notice period is three months."}}}}
	if text, err := library.Text(t.Context(), lease.Bytes()); !errors.Is(err, docs.Encrypted) {
		t.Errorf("without its password the text is %q, %v", text, err)
	}
	lease.Password = ""
	text, err := library.Text(t.Context(), lease.Bytes())
	if want := "[page 1]\nThe notice period is three months.\n"; err != nil || text != want {
		t.Errorf("the text is %q, %v; want %q", text, err, want)
	}
}
