package pdfium_test

import (
	"context"
	"fmt"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/docs/pdfium"
)

func Example() {
	engine, err := pdfium.New(&pdfium.Options{CacheDir: cacheDir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	if err := engine.Warm(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	library := docs.New(nil, engine, nil)
	defer library.Close()

	report := docstest.File{Pages: []docstest.Page{{Lines: []string{"Revenue rose.", "Costs did not."}}}}
	text, err := library.Text(context.Background(), report.Bytes())
	fmt.Println(text, err)
	// Output:
	// [page 1]
	// Revenue rose.
	// Costs did not.
	//  <nil>
}
