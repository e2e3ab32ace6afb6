package webtool_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The kinds of bugs that users of other web tools reported, and the tests that they
// became here. A test is named as go test -run takes it, with its words as they stand
// in the code.
var reports = []struct {
	kind  string
	tests []string
}{
	{"a page is cut in silence, and what is not in the part is taken for not on the page", []string{"TestReportsOfReading/a page is never cut in silence, and its last section is reached"}},
	{"a section of a long page is never reached, however often it is asked for", []string{"TestReportsOfReading/a page is never cut in silence, and its last section is reached", "TestPagesJoinToTheSnapshot"}},
	{"a cut that nobody hears of makes a session of wrong work", []string{"TestSizeIsBounded/a long page is shown as far as it is read, and says so", "TestSizeIsBounded/a length that promises more than comes is a page that says it is short"}},
	{"a summary keeps the headline and drops the numbers", []string{"TestReportsOfReading/numbers of three shops are shown as they are, not summed up"}},
	{"a fetch hangs for half an hour, and those beside it wait", []string{"TestReportsOfHanging/one page that hangs holds up no other", "TestReportsOfHanging/in a batch it costs its own 30 seconds at most, and the others have their answers"}},
	{"bytes of a PDF file are shown as text", []string{"TestReportsOfReading/a PDF file is named, not shown as bytes", "TestKindsWithoutText"}},
	{"text that a page hides is read", []string{"TestHiddenText/display:none is not read", "TestHiddenText/aria-hidden is not read"}},
	{"markdown is never asked for", []string{"TestReportsOfReading/markdown is asked for, and shown as it is"}},
	{"a page that streams its content into hidden boxes is one line", []string{"TestAPageThatShowsLittle/parts that streaming left hidden are read", "TestAPageThatShowsLittle/hidden text is read for want of other text"}},
	{"reading needs a program that is not there, and hangs without it", []string{"TestReadingAPageStartsNoProgram"}},
	{"more is offered where nothing is left", []string{"TestReportsOfReading/nothing is offered where nothing is left"}},
	{"a robots.txt that fails allows all, and one that hangs hangs the fetch", []string{"TestReportsOfHanging/robots.txt that hangs, or fails, forbids; one that is not there allows"}},
	{"every page is decoded as UTF-8", []string{"TestReportsOfReading/a page in another charset is readable, with its charset in the header or in the page", "TestDecode/a header in capitals and quotes"}},
	{"the charset that a page names is ignored, and the garbage is kept", []string{"TestReportsOfReading/a page in another charset is readable, with its charset in the header or in the page", "TestDecode/a meta"}},
	{"a page in UTF-8 whose header names no charset is read as Latin-1", []string{"TestDecode/UTF-8 without a declaration is not read as Latin-1"}},
	{"a redirect leads to the metadata address, or to loopback", []string{"TestReportsOfAddresses", "TestNoFormReachesThisMachine"}},
	{"a public name leads to loopback, or changes its mind", []string{"TestReportsOfAddresses/a public name that leads to loopback", "TestNoFormReachesThisMachine"}},
	{"loopback in IPv6 clothes passes a check of strings", []string{"TestReportsOfAddresses/loopback in IPv6 clothes"}},
	{"robots.txt is heeded, and no address is checked", []string{"TestNoFormReachesThisMachine", "TestPublicAddressesForReal"}},
	{"a resolver of made-up addresses makes every page private", []string{"TestReportsOfAddresses/an address of a fake-IP proxy", "TestReportsOfAddresses/the option for fake-IP proxies does what it says, in both kinds of rooms"}},
	{"a limit on markup loses the table, and an empty shell is taken for the page", []string{"TestReportsOfReading/a table behind 100 KB of markup is shown", "TestAPageThatShowsLittle/a shell says so"}},
	{"a body is held whole before it is measured", []string{"TestReportsOfHanging/a whole body is not held in memory before it is measured", "TestSizeIsBounded/a bomb of gzip is cut after 5 MiB"}},
	{"the time ends with the headers, and a body trickles on", []string{"TestTimeIsBounded/a body that trickles ends after 30 seconds in all"}},
	{"a page of 1 MB hangs the tool", []string{"TestReportsOfReading/a page of 1 MB is answered a page at a time", "TestHostileMarkup"}},
	{"a large page is an error about its size", []string{"TestReportsOfReading/a page of more than 5 MB is a page that says where it was cut, not an error about its size"}},
	{"what has changed since the last time fills the answer, unasked", []string{"TestReportsOfReading/what changed since the last time is not volunteered"}},
	{"a captcha is told as no results", []string{"TestReportsOfSearching/a provider that blocks is told from a query that finds nothing, so nobody rephrases for an hour", "TestDuckDuckGoLite/a challenge with 202"}},
	{"a class that was renamed, or another order of attributes, finds nothing", []string{"TestDuckDuckGoLite/a page whose links are named otherwise by now is no empty result", "TestDuckDuckGoLite/wrapped links are unwrapped, advertisements are dropped with their snippets"}},
	{"wrapped links and advertisements are results", []string{"TestDuckDuckGoLite/wrapped links are unwrapped, advertisements are dropped with their snippets"}},
	{"the first query is over the limit", []string{"TestReportsOfSearching/the first query of a day may be limited: the next provider is asked"}},
	{"an instance without JSON says 403 and no more", []string{"TestSearXNGTellsNothingFoundFromNobodyHasLooked/403 without JSON says that the operator has to switch JSON on"}},
	{"searches side by side are over the limit of one a second", []string{"TestRequestsToBraveAreSpacedOut", "TestBrave/an error with status 200 is an error"}},
	{"code and tables are lost", []string{"TestMainComesFirst/an article keeps its table and code", "TestCode/a block keeps its blanks"}},
	{"markup of more than 512 levels is an error, a panic, or takes for ever", []string{"TestMarkupThatIsTooDeep", "TestHostileMarkup"}},
	{"a list that is not inside its item is flattened", []string{"TestBlocks/a nested list that is not inside its item"}},
	{"instructions in invisible characters of an error page reach the model", []string{"TestReportsOfReading/instructions in invisible characters of an error page are gone"}},
	{"a key leaks by a redirect, and an encoding of one's own breaks JSON", []string{"TestReportsOfSearching/a key is in no result, error or log line", "TestBrave/it sends what the API takes: the key in its header, 50 words, no encoding of its own", "Run/a redirect is not followed, and takes no key along"}},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*_test.go", "internal/*/*_test.go", "webtest/suite.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if name == "reportindex_test.go" {
				continue
			}
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, string(b))
		}
	}
	all := strings.Join(sources, "\n")
	if len(reports) != 37 {
		t.Errorf("%d kinds are listed", len(reports))
	}
	for _, r := range reports {
		for _, name := range r.tests {
			top, sub, _ := strings.Cut(name, "/")
			if !strings.Contains(all, "func "+top+"(t *testing.T") || sub != "" && !strings.Contains(all, strconv.Quote(sub)) {
				t.Errorf("%s: there is no test %q", r.kind, name)
			}
		}
	}
}
