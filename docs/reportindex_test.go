package docs_test

import (
	"testing"

	"github.com/arcseat/arc/internal/reports"
)

// The kinds of bugs that users of other readers of PDF files reported, and the tests
// that they became here or in the packages below. A test is named as go test -run
// takes it, with its words as they stand in the code. One kind that was reported is not
// here, as nobody can tell it from text that is meant so: letters that are all shifted
// by some places. The package comment says so.
var reported = [][]string{
	{"an error of the library ends the service", "TestAHostileFileIsAnError", "TestPages/cost themselves when the process exits"},
	{"an array that does not end ends the process", "TestAHostileFileIsAnError/arrays in arrays"},
	{"opening an invalid file crashes the process", "TestOpen/a crash"},
	{"East Asian text is garbage for want of a font", "TestWhatIsRead/text in a font of East Asia that the file names and does not hold, with a warning"},
	{"what was opened is never freed", "TestNothingIsKeptOfAClosedDocument"},
	{"the time of the last change is always empty", "TestWhatIsRead/metadata of any length, and the time of the last change"},
	{"goroutines that share a document crash it", "TestEngine", "Run/several goroutines read one document"},
	{"an illegal table of contents crashes the opening", "TestAHostileFileIsAnError/an outline that never ends"},
	{"drawing a page ends the program without a word", "TestHarmIsPaidForOnce/ink that crashes costs the ink"},
	{"whole lines are characters without a meaning", "TestPagesWithoutTextAreToldApart", "TestRealFilesAreWhatTheyAre"},
	{"each space is a character without a meaning, and phrases are not found", "TestFind/a character that nobody knows may be a space"},
	{"one page takes memory until there is none", "TestMemoryIsLimited", "TestPages/that take all memory are ended"},
	{"a file that breaks off loops, and takes gigabytes", "TestPages/that hang are ended", "TestAHostileFileIsAnError/an array that breaks off with the file", "TestAPageThatIsReadInPartSaysSo/one whose text breaks off"},
	{"a malformed file hangs the host for ever", "TestReports/an engine that never answers does not keep the seat"},
	{"a time-out cannot stop native code", "TestAContextStopsAPage", "TestAContextEndsACall"},
	{"a tool that never returns leaves a dead session", "TestACallEndsWithItsContext", "TestCloseEndsCalls", "TestCloseEndsACall"},
	{"a file that is locked or no PDF spoils every later turn", "TestReports/a file that is refused does not spoil the calls after it"},
	{"a damaged file is called encrypted", "TestReports/a damaged file is not called encrypted"},
	{"a cut result goes on with the same call", "TestReports/the call that goes on is never the call that was", "TestContinuationIsExact"},
	{"the text is cut and what stands beside it is not", "TestReports/1,032 pages do not become 1,032 entries", "TestAResultIsBoundedWhateverItsPathAndQuery"},
	{"results of a search overflow the context", "TestReports/the excerpts of a common word do not fill the context", "TestASearchGoesOnAtAPage"},
	{"NULs of a text break who keeps it", "TestReports/NULs do not reach who keeps the text", "TestWhatIsRead/text behind a NUL"},
	{"most pages are scans, and a reader says that there is nothing", "TestReports/198 scans among 311 pages are not passed over in silence"},
	{"a file of pictures is read as nothing, without a sign", "TestReports/reading a document of pictures succeeds and says what it is"},
	{"words are glued together for want of spaces in the file", "TestWhatIsRead/words that gaps alone set apart"},
	{"a blank page and a scan are the same", "TestReports/a blank page is not called a scan", "TestReports/a page of which errors left nothing is not called blank"},
	{"a search misses words over the end of a line", "TestFind/a word that a hyphen parts at the end of a line", "TestFind/over the end of a line"},
	{"a search misses words with a real hyphen", "TestFind/a real hyphen at the end of a line", "TestFind/a hyphen inside a line is one"},
	{"Arabic and Hebrew come out so that nothing is found", "TestReports/Hebrew and Arabic are found through marks of direction and forms of letters", "TestWhatIsRead/Hebrew that is set from left to right"},
	{"values of forms are missing, without a warning", "TestWhatIsRead/form fields and annotations", "TestReports/values of a form that were not read are told"},
	{"text that nobody sees steers the model", "TestReports/text that steers is data, and its page is known by the header", "TestWhatIsRead/what is outside the page, with a warning"},
	{"a search of text has no ceiling of memory", "TestAPageOfCharactersThatStandForManyTakesLittleMemory"},
	{"one page of drawings takes minutes", "TestReports/a page that takes for ever to draw costs that page", "TestAHostileFileIsAnError/a hundred million drawings"},
	{"a file that goes in circles keeps the processor busy", "Run/a file that goes in circles costs nothing else", "TestAHostileFileIsAnError/a page that is its own parent"},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	reports.Check(t, 34, reported, "*_test.go", "worker/*_test.go", "fitz/*_test.go", "docstest/*.go")
}
