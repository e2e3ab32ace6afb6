package webtool_test

import (
	"testing"

	"github.com/arcseat/arc/internal/reports"
)

// The kinds of bugs that users of other web tools reported, and the tests that they
// became here. A test is named as go test -run takes it, with its words as they stand
// in the code.
var reported = [][]string{
	{"a page is cut in silence, and what is not in the part is taken for not on the page", "TestReportsOfReading/a page is never cut in silence, and its last section is reached"},
	{"a section of a long page is never reached, however often it is asked for", "TestReportsOfReading/a page is never cut in silence, and its last section is reached", "TestPagesJoinToTheSnapshot"},
	{"a cut that nobody hears of makes a session of wrong work", "TestSizeIsBounded/a long page is shown as far as it is read, and says so", "TestSizeIsBounded/a length that promises more than comes is a page that says it is short"},
	{"a summary keeps the headline and drops the numbers", "TestReportsOfReading/numbers of three shops are shown as they are, not summed up"},
	{"a fetch hangs for half an hour, and those beside it wait", "TestReportsOfHanging/one page that hangs holds up no other", "TestReportsOfHanging/in a batch it costs its own 30 seconds at most, and the others have their answers"},
	{"bytes of a PDF file are shown as text", "TestReportsOfReading/a PDF file is named, not shown as bytes", "TestKindsWithoutText"},
	{"text that a page hides is read", "TestHiddenText/display:none is not read", "TestHiddenText/aria-hidden is not read"},
	{"markdown is never asked for", "TestReportsOfReading/markdown is asked for, and shown as it is"},
	{"a page that streams its content into hidden boxes is one line", "TestAPageThatShowsLittle/parts that streaming left hidden are read", "TestAPageThatShowsLittle/hidden text is read for want of other text"},
	{"reading needs a program that is not there, and hangs without it", "TestReadingAPageStartsNoProgram"},
	{"more is offered where nothing is left", "TestReportsOfReading/nothing is offered where nothing is left"},
	{"a robots.txt that fails allows all, and one that hangs hangs the fetch", "TestReportsOfHanging/robots.txt that hangs, or fails, forbids; one that is not there allows"},
	{"every page is decoded as UTF-8", "TestReportsOfReading/a page in another charset is readable, with its charset in the header or in the page", "TestDecode/a header in capitals and quotes"},
	{"the charset that a page names is ignored, and the garbage is kept", "TestReportsOfReading/a page in another charset is readable, with its charset in the header or in the page", "TestDecode/a meta"},
	{"a page in UTF-8 whose header names no charset is read as Latin-1", "TestDecode/UTF-8 without a declaration is not read as Latin-1"},
	{"a redirect leads to the metadata address, or to loopback", "TestReportsOfAddresses", "TestNoFormReachesThisMachine"},
	{"a public name leads to loopback, or changes its mind", "TestReportsOfAddresses/a public name that leads to loopback", "TestNoFormReachesThisMachine"},
	{"loopback in IPv6 clothes passes a check of strings", "TestReportsOfAddresses/loopback in IPv6 clothes"},
	{"robots.txt is heeded, and no address is checked", "TestNoFormReachesThisMachine", "TestPublicAddressesForReal"},
	{"a resolver of made-up addresses makes every page private", "TestReportsOfAddresses/an address of a fake-IP proxy", "TestReportsOfAddresses/the option for fake-IP proxies does what it says, in both kinds of rooms"},
	{"a limit on markup loses the table, and an empty shell is taken for the page", "TestReportsOfReading/a table behind 100 KB of markup is shown", "TestAPageThatShowsLittle/a shell says so"},
	{"a body is held whole before it is measured", "TestReportsOfHanging/a whole body is not held in memory before it is measured", "TestSizeIsBounded/a bomb of gzip is cut after 5 MiB"},
	{"the time ends with the headers, and a body trickles on", "TestTimeIsBounded/a body that trickles ends after 30 seconds in all"},
	{"a page of 1 MB hangs the tool", "TestReportsOfReading/a page of 1 MB is answered a page at a time", "TestHostileMarkup"},
	{"a large page is an error about its size", "TestReportsOfReading/a page of more than 5 MB is a page that says where it was cut, not an error about its size"},
	{"what has changed since the last time fills the answer, unasked", "TestReportsOfReading/what changed since the last time is not volunteered"},
	{"a captcha is told as no results", "TestReportsOfSearching/a provider that blocks is told from a query that finds nothing, so nobody rephrases for an hour", "TestDuckDuckGoLite/a challenge with 202"},
	{"a class that was renamed, or another order of attributes, finds nothing", "TestDuckDuckGoLite/a page whose links are named otherwise by now is no empty result", "TestDuckDuckGoLite/wrapped links are unwrapped, advertisements are dropped with their snippets"},
	{"wrapped links and advertisements are results", "TestDuckDuckGoLite/wrapped links are unwrapped, advertisements are dropped with their snippets"},
	{"the first query is over the limit", "TestReportsOfSearching/the first query of a day may be limited: the next provider is asked"},
	{"an instance without JSON says 403 and no more", "TestSearXNGTellsNothingFoundFromNobodyHasLooked/403 without JSON says that the operator has to switch JSON on"},
	{"searches side by side are over the limit of one a second", "TestRequestsToBraveAreSpacedOut", "TestBrave/an error with status 200 is an error"},
	{"code and tables are lost", "TestMainComesFirst/an article keeps its table and code", "TestCode/a block keeps its blanks"},
	{"markup of more than 512 levels is an error, a panic, or takes for ever", "TestMarkupThatIsTooDeep", "TestHostileMarkup"},
	{"a list that is not inside its item is flattened", "TestBlocks/a nested list that is not inside its item"},
	{"instructions in invisible characters of an error page reach the model", "TestReportsOfReading/instructions in invisible characters of an error page are gone"},
	{"a key leaks by a redirect, and an encoding of one's own breaks JSON", "TestReportsOfSearching/a key is in no result, error or log line", "TestBrave/it sends what the API takes: the key in its header, 50 words, no encoding of its own", "Run/a redirect is not followed, and takes no key along"},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	reports.Check(t, 37, reported, "*_test.go", "internal/*/*_test.go", "webtest/suite.go")
}
