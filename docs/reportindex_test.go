package docs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The kinds of bugs that users of other readers of PDF files reported, and the tests
// that they became here or in the packages below. A test is named as go test -run
// takes it, with its words as they stand in the code. Two kinds that were reported are
// not here, as nobody can tell them from text that is meant so: letters that are all
// shifted by some places, and words without spaces between.
var reports = []struct {
	kind  string
	tests []string
}{
	{"an error of the library ends the service", []string{"TestAHostileFileIsAnError", "TestPages/cost themselves when the process exits"}},
	{"an array that does not end ends the process", []string{"TestAHostileFileIsAnError/arrays in arrays"}},
	{"opening an invalid file crashes the process", []string{"TestOpen/a crash"}},
	{"East Asian text is garbage for want of a font", []string{"TestWhatIsRead/text in a font of East Asia that the file names and does not hold, with a warning"}},
	{"what was opened is never freed", []string{"TestNothingIsKeptOfAClosedDocument"}},
	{"the time of the last change is always empty", []string{"TestWhatIsRead/metadata of any length, and the time of the last change"}},
	{"goroutines that share a document crash it", []string{"TestEngine", "Run/several goroutines read one document"}},
	{"an illegal table of contents crashes the opening", []string{"TestAHostileFileIsAnError/an outline that never ends"}},
	{"drawing a page ends the program without a word", []string{"TestHarmIsPaidForOnce/ink that crashes costs the ink"}},
	{"whole lines are characters without a meaning", []string{"TestPagesWithoutTextAreToldApart", "TestRealFilesAreWhatTheyAre"}},
	{"each space is a character without a meaning, and phrases are not found", []string{"TestFind/a character that nobody knows may be a space"}},
	{"one page takes memory until there is none", []string{"TestMemoryIsLimited", "TestPages/that take all memory are ended"}},
	{"a file that breaks off loops, and takes gigabytes", []string{"TestPages/that hang are ended", "TestAPageThatIsReadInPartSaysSo/one whose text breaks off"}},
	{"a malformed file hangs the host for ever", []string{"TestReports/an engine that never answers does not keep the seat"}},
	{"a time-out cannot stop native code", []string{"TestAContextStopsAPage", "TestAContextEndsACall"}},
	{"a tool that never returns leaves a dead session", []string{"TestACallEndsWithItsContext", "TestCloseEndsCalls", "TestCloseEndsACall"}},
	{"a file that is locked or no PDF spoils every later turn", []string{"TestReports/a file that is refused does not spoil the calls after it"}},
	{"a damaged file is called encrypted", []string{"TestReports/a damaged file is not called encrypted"}},
	{"a cut result goes on with the same call", []string{"TestReports/the call that goes on is never the call that was", "TestContinuationIsExact"}},
	{"the text is cut and what stands beside it is not", []string{"TestReports/1,032 pages do not become 1,032 entries", "TestAResultIsBoundedWhateverItsPathAndQuery"}},
	{"results of a search overflow the context", []string{"TestReports/the excerpts of a common word do not fill the context", "TestASearchGoesOnAtAPage"}},
	{"NULs of a text break who keeps it", []string{"TestReports/NULs do not reach who keeps the text", "TestWhatIsRead/text behind a NUL"}},
	{"most pages are scans, and a reader says that there is nothing", []string{"TestReports/198 scans among 311 pages are not passed over in silence"}},
	{"a file of pictures is read as nothing, without a sign", []string{"TestReports/reading a document of pictures succeeds and says what it is"}},
	{"a blank page and a scan are the same", []string{"TestReports/a blank page is not called a scan"}},
	{"a search misses words over the end of a line", []string{"TestFind/a word that a hyphen parts at the end of a line", "TestFind/over the end of a line"}},
	{"a search misses words with a real hyphen", []string{"TestFind/a real hyphen at the end of a line", "TestFind/a hyphen inside a line is one"}},
	{"Arabic and Hebrew come out so that nothing is found", []string{"TestReports/Hebrew and Arabic are found through marks of direction and forms of letters"}},
	{"values of forms are missing, without a warning", []string{"TestWhatIsRead/form fields and annotations", "TestReports/values of a form that were not read are told"}},
	{"text that nobody sees steers the model", []string{"TestReports/text that steers is data, and its page is known by the header", "TestWhatIsRead/what is outside the page, with a warning"}},
	{"a search of text has no ceiling of memory", []string{"TestAPageOfCharactersThatStandForManyTakesLittleMemory"}},
	{"one page of drawings takes minutes", []string{"TestReports/a page that takes for ever to draw costs that page", "TestAHostileFileIsAnError/a hundred million drawings"}},
	{"a file that goes in circles keeps the processor busy", []string{"Run/a file that goes in circles costs nothing else", "TestAHostileFileIsAnError/a page that is its own parent"}},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*_test.go", "worker/*_test.go", "fitz/*_test.go", "docstest/*.go"} {
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
	if len(reports) != 33 {
		t.Errorf("%d kinds are listed", len(reports))
	}
	for _, r := range reports {
		for _, name := range r.tests {
			top, sub, _ := strings.Cut(name, "/")
			if !strings.Contains(all, "func "+top+"(t ") || sub != "" && !strings.Contains(all, strconv.Quote(sub)) {
				t.Errorf("%s: there is no test %q", r.kind, name)
			}
		}
	}
}
