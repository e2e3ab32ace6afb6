package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

var rewrite = flag.Bool("rewrite-rules", false, "write demo/rules.pdf anew")

// rules are demo/rules.pdf, which stands beside the project's other files so that
// whoever reads those can open it.
func rules() docstest.File {
	return docstest.File{Title: "Rules of the shop", Author: "The shop", Pages: []docstest.Page{
		{Lines: []string{
			"Rules of the shop",
			"",
			"1 Prices",
			"1.1 A price holds for the day on which something is put into a cart.",
			"1.2 All prices include taxes, and none includes the delivery.",
		}},
		{Typeset: true, Lines: []string{
			"2 Who pays less",
			"2.1 There is one discount. It begins at a sum of 100.00, so that a cart of",
			"exactly that much has it, and it is ten percent of the whole sum.",
			"2.2 Nothing below that sum is reduced, whoever asks for it.",
		}},
		{Lines: []string{
			"3 Deliveries",
			"3.1 Lamps are sent by post. Chairs and tables are brought by the shop's own",
			"people, on a day that the customer names.",
		}},
	}}
}

// pdfText is a PDF file's, as a model gets it. The test is skipped on a machine whose
// programs read none.
func pdfText(t *testing.T, pdf []byte) string {
	t.Helper()
	library := docs.New(nil, needEngine(t), nil)
	t.Cleanup(func() { library.Close() })
	s, err := library.Text(t.Context(), pdf)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheRulesAreTheOnesThatThisRepositoryWrites(t *testing.T) {
	t.Parallel()
	const name = "demo/rules.pdf"
	if *rewrite {
		if err := os.WriteFile(name, rules().Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pdfText(t, kept), pdfText(t, rules().Bytes()); got != want || !strings.Contains(got, "It begins at a sum of 100.00") {
		t.Errorf("%s says\n%s\nwant\n%s\nrun: go test ./examples/agent -rewrite-rules", name, got, want)
	}
}
