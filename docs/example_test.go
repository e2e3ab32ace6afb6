package docs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

// A folder is the simplest Files there is. It contains nothing: a workspace does.
type folder string

func (f folder) OpenFile(_ context.Context, path string) (*os.File, error) {
	return os.Open(filepath.Join(string(f), path))
}

// scratch is a folder with a report in it, and the engine that reads it. A program
// has the engine of package fitz.
func scratch() (dir string, engine docs.Engine, remove func()) {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	fake := docstest.NewFake()
	pages := docstest.Text(
		"Report of the year\nWhat was done and what was left.",
		"",
		"Section 4. The parties agree that their lia-\nbility is limited to the price that was paid.")
	pages[1] = docstest.Scan(1)[0]
	content := fake.File(docstest.Script{Pages: pages})
	if err := os.WriteFile(filepath.Join(dir, "report.pdf"), content, 0o600); err != nil {
		log.Fatal(err)
	}
	return dir, fake, func() { os.RemoveAll(dir) }
}

func Example() {
	dir, engine, remove := scratch()
	defer remove()
	ctx := context.Background()
	library := docs.New(folder(dir), engine, nil)
	defer library.Close()

	about, err := library.Inspect(ctx, "", docs.InspectArgs{Path: "report.pdf"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(about.PageCount, "pages:", about.TextLayer.Status, "without text:", about.TextLayer.PagesWithoutText)

	found, err := library.Search(ctx, "", docs.SearchArgs{Path: "report.pdf", Query: "liability"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found.Matches {
		fmt.Printf("page %d: %s\n", m.Page, m.Excerpt)
	}

	read, err := library.Read(ctx, "", docs.ReadArgs{Path: "report.pdf", StartPage: 1, EndPage: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Pages[0].Text)
	// Output:
	// 3 pages: mixed without text: [2]
	// page 3: Section 4. The parties agree that their lia- bility is limited to the price that was paid.
	// Report of the year
	// What was done and what was left.
}

func ExampleLibrary_Read() {
	dir, engine, remove := scratch()
	defer remove()
	library := docs.New(folder(dir), engine, &docs.Options{MaxCharacters: 60})
	defer library.Close()
	for a := (docs.ReadArgs{Path: "report.pdf"}); ; {
		r, err := library.Read(context.Background(), "", a)
		if err != nil {
			log.Fatal(err)
		}
		for _, p := range r.Pages {
			fmt.Printf("page %d (%s), characters %d to %d of %d\n", p.Page, p.Status, p.StartCharacter, p.EndCharacter, p.Characters)
		}
		if r.Next == nil {
			return
		}
		fmt.Println("then", r.TruncatedReason)
		a = r.Next.Arguments.(docs.ReadArgs)
	}
	// Output:
	// page 1 (sparse), characters 0 to 51 of 51
	// page 2 (image_only), characters 0 to 0 of 0
	// page 3 (sparse), characters 0 to 9 of 90
	// then character_budget
	// page 3 (sparse), characters 9 to 69 of 90
	// then character_budget
	// page 3 (sparse), characters 69 to 90 of 90
}

func ExampleLibrary_Text() {
	fake := docstest.NewFake()
	pdf := fake.File(docstest.Script{Pages: docstest.Text("What a server sent.")})
	library := docs.New(nil, fake, nil)
	defer library.Close()
	text, err := library.Text(context.Background(), pdf)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// [page 1]
	// What a server sent.
}
