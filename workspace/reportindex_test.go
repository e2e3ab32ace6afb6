package workspace

import (
	"testing"

	"github.com/arcseat/arc/internal/reports"
)

// The kinds of bugs that users of other agents' file tools reported, and the tests that
// they became here. A test is named as go test -run takes it, with its words as they
// stand in the code.
var reported = [][]string{
	{"a file that nobody changed is called modified, by its time", "TestStaleTellsWhatARetryNeeds/a touched file is not stale", "TestReports/a file that was read can be edited at once, whatever its line ends"},
	{"line ends alone make a file modified", "TestReports/a file that was read can be edited at once, whatever its line ends"},
	{"an edit of a line changes the line ends of the file", "TestEditLineEnds/a CRLF file stays CRLF", "TestEditLineEnds/an LF file gets what was sent"},
	{"one LF in a CRLF file flattens it", "TestEditLineEnds/one bare LF in a CRLF file stays"},
	{"text with LF does not match CRLF", "TestReports/text with LF is found in a CRLF file"},
	{"a byte order mark is dropped, added or shown", "TestEditLineEnds/a byte order mark stays", "TestRead/a byte order mark is told and not shown", "TestWrite/a byte order mark"},
	{"a program loses its mode", "TestWrite/what the file was like stays", "TestExtendedAttributesAndModesStay"},
	{"bytes far from the edit are replaced", "TestAnEditChangesOnlyItsSpan", "TestRead/bytes that are not UTF-8 on line 999 are no matter on line 1"},
	{"dollar signs of the new text are expanded", "TestEditLineEnds/dollar signs are only dollar signs"},
	{"a link becomes a file, and its target stays as it was", "TestWrite/a link to a file is kept and its target changed"},
	{"of two edits in one message one is lost", "TestStaleTellsWhatARetryNeeds/two edits of one version: the second is refused", "TestTwoProcessesOneWorkspace", "TestProcessesShareAWorkspace"},
	{"temporary files are left beside the sources", "TestACrashAtEachStep", "TestKills", "TestEachFaultAtEachCall"},
	{"a change that fails in its middle is left half made", "TestACrashAtEachStep", "TestEachFaultAtEachCall", "TestReports/a refused change leaves nothing behind"},
	{"a new file overwrites one that is there", "TestWrite/an existing file wants its hash, and tells it to who has read it", "TestUndo/an outsider's change is not overwritten"},
	{"overlapping matches count as one", "TestEditMatches/overlapping matches count"},
	{"text that is only alike is replaced", "TestNoMatchSaysWhy/different", "TestReports/text that differs inside is never replaced"},
	{"a restore deletes files that it knows nothing of", "TestReports/an undo touches the file of its change alone", "TestWrite/undo leaves a directory that is in use"},
	{"an undo deletes a file that was only edited", "TestACrashAtEachStep/undo of an edit", "TestUndo/a create whose file was edited since is not deleted"},
	{"an undo brings back an old tree over newer work", "TestUndo/a later change names itself", "TestUndo/an outsider's change is not overwritten"},
	{"what is kept is silently old, for a repository in the project", "TestReports/a repository in the project is journaled like all else"},
	{"what is kept fills the disk", "TestRetentionKeepsTheNewestAndTheChain"},
	{"a restore brings back some files, or none, and says nothing", "TestReports/an undo that cannot be made says so", "TestADamagedJournalBlocksAndIsReported"},
	{"a link leads out of the project", "TestReadPaths/a link to the outside", "TestPathsThatNoChangeReaches", "TestADirectoryThatBecomesALinkIsNotFollowedOut"},
	{"the language's own guard lets a path out", "TestReadPaths/a trailing slash behind a link", "TestReadPaths/two dots"},
	{"a pipe or a device blocks a read for ever", "TestReadNeverWaitsOnWhatIsNoFile", "TestRead", "TestReadRefuses/a file over the host's limit"},
	{"a slow directory hangs a call for minutes", "TestAListThatRunsOutOfTimeKeepsWhatItHas", "TestASearchThatRunsOutOfTimeGoesOn"},
	{"a name with unusual spaces or accents cannot be opened, or opens another file", "TestTheExactNameIsOpenedWhateverLooksLikeIt", "TestReadGuessesWhatAMissingPathMeant/an ordinary space for one that does not break"},
	{"another case goes round what is protected", "TestPathsThatNoChangeReaches", "TestListHidesGitByEveryNameAndTheJournal"},
	{"a search is silent about what it ignored", "TestSearch/nothing found, and what was not looked at"},
	{"one long line reads as nothing, for ever, or fills the context", "TestPagesJoinToTheWhole/a line of 1 MB", "TestRead/a line that is too long alone is cut behind a character", "TestExcerpts/a line longer than the buffer"},
	{"spaces for tabs never match, and nothing says why", "TestNoMatchSaysWhy/whitespace", "TestEditMatches/several matches name their lines"},
	{"line numbers are copied into the text to replace", "TestNoMatchSaysWhy/line_numbers"},
	{"ignore rules are not git's", "TestDecidesAsGitDoes", "TestPatterns/a directory is brought back with what is in it"},
	{"a write through a hard link changes other projects", "TestWrite/a hard link is broken, and said to be"},
	{"a search misses letters of other alphabets, or shifts what it found", "TestIndex/all sigmas are one", "TestIndex/i is not İ", "TestIndex/offsets are those of the text, whose folded form is longer"},
	{"a change is gone after a power cut", "TestAPowerCut", "TestAPowerCutAfterAKill"},
	{"a last newline is taken or forced", "TestEditLineEnds/a last newline can be removed", "TestEditLineEnds/a last newline can be added"},
	{"an edit lands in another file than it names", "TestReports/an edit that does not match looks in no other file"},
	{"text that is in the file is refused", "TestAnEditChangesOnlyItsSpan", "TestReports/many lines that stand in the file as they are match"},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	reports.Check(t, 39, reported, "*_test.go", "internal/*/*_test.go")
}
