package shell_test

import (
	"testing"

	"github.com/arcseat/arc/internal/reports"
)

// The kinds of bugs that users of other shells for agents reported, and the tests that
// they became here. A test is named as go test -run takes it, with its words as they
// stand in the code. Those that only Windows has are not among them: nothing was tried
// there.
var reported = [][]string{
	{"a server started with & holds the answer up for ever", "TestAServerInTheBackground"},
	{"a server that goes on writing holds the answer up, or is ended by it", "TestAServerInTheBackground", "TestADaemonIsLetBe"},
	{"process substitution keeps the pipe, and the command never ends", "TestEnds/process substitution that holds the pipe does not hold the answer"},
	{"a timeout ends the shell alone, and its children run on", "TestEnds/a timeout reaches grandchildren and timeout(1)", "TestNothingIsLeftBehind/by its timeout"},
	{"a descendant that holds the output hangs the turn", "TestWhoHoldsTheOutputIsEnded"},
	{"the host is killed, and its commands burn a processor for an hour", "TestAKilledHostLeavesNothing", "TestWhatAKilledHostHasLeftIsEnded"},
	{"an output file of terabytes", "TestAnOutputBeyondItsCap", "TestYesIsBounded", "TestAGigabyteOfOutput"},
	{"a search of the project reads its own output, without end", "TestTheDefaultSpoolIsOutsideTheProjectAndPrivate"},
	{"an endless writer outlives its session", "TestYesIsBounded", "TestAHostThatIsKilled", "TestAHostThatForgetsToClose"},
	{"what a session started runs on after its end, or after a cancel", "TestNothingIsLeftBehind/by Close", "TestNothingIsLeftBehind/by the end of its turn", "TestACancelledTurn", "TestAChainThatHasLeftIsEnded", "TestAHostWithoutDescriptorsLeavesNothingBehind"},
	{"to end a job hangs on a grandchild", "TestKill", "TestNothingIsLeftBehind/by the host's Kill"},
	{"the notice of an end is missed, comes for the first of several alone, or twice", "TestNoticesComeOnceForEveryEndAndInOrder", "TestNoticesThatAKilledHostHasNotToldAreToldByTheNext", "TestOneOfManyHostsTellsOfALostJob", "TestANoticeThatIsRefused"},
	{"a job that was ended is said to have completed", "TestEnds/a timeout is never completed, and keeps the output", "TestNoticesComeOnceForEveryEndAndInOrder"},
	{"the timeout is forgotten in the background", "TestSurvivorsEndWithTheTimeout", "TestNoticesComeOnceForEveryEndAndInOrder"},
	{"a timeout throws away what was said", "TestEnds/a timeout is never completed, and keeps the output"},
	{"a timeout does not reach a pipeline", "TestEnds/a timeout is enforced on a pipeline"},
	{"the signal of a timeout ends the host as well", "TestASignalToTheWholeGroupDoesNotReachTheHost"},
	{"pkill -f finds the shell that runs it", "TestEnds/pkill -f does not find its own shell"},
	{"kill %1 does nothing", "TestKillByJobNumber"},
	{"keys of the host are in the environment, and secrets in the list of processes", "TestTheEnvironment/holds the toolchain's names and no secret", "TestACommandsTextIsInNoListOfProcesses"},
	{"a question hangs until the timeout", "TestEnds/a prompt on the terminal fails at once", "TestTheEnvironment/holds the toolchain's names and no secret"},
	{"a program takes the terminal, and the host is stopped", "TestEnds/a prompt on the terminal fails at once", "TestTheGroup/has no terminal"},
	{"a search waits on an open standard input", "TestEnds/stdin that is omitted is at its end, so nothing waits for it"},
	{"a character at the edge of two pieces is lost", "TestPagesJoinToTheWholeDecoded", "TestOutput/a page ends before a cut character"},
	{"quotes, braces and here-documents arrive mangled", "TestEnds/quotes, braces and $$ arrive as they are"},
	{"a long command fails, or all do", "TestAHugeHereDocument", "TestAnEnvironmentThatIsTooLarge"},
	{"a pipeline hides the test that failed, or pipefail fails what is fine", "TestEnds/a pipeline says whose exit code it is", "TestEnds/there is no pipefail: head ends yes"},
	{"zombies fill the system where the host is process 1", "TestAHostThatIsProcessOneReapsItsOwnOrphansAlone"},
	{"a loop of polls takes a whole processor", "TestAnIdleLookWaitsForNews"},
	{"a cut that keeps the start hides the summary, or is not told", "TestAPreview"},
	{"frames of a progress bar fill the answer", "TestEnds/escape sequences and progress frames are cleaned"},
	{"output ends at 64 KiB", "TestAProgramThatExitsBeforeItsOutputIsRead"},
	{"a server started with & is ended with the call", "TestAServerInTheBackground"},
	{"a death signal ends children at random", "TestACommandOutlivesTheThreadThatStartedIt"},
	{"whoever waits for a command waits for its grandchildren", "TestAServerInTheBackground"},
	{"whether a command is ended or goes on depends on how it is written", "TestTheShapeOfACommandDecidesNothing"},
	{"a stuck command blocks all after it", "TestAStuckCommandHoldsUpNoOther"},
	{"a sandbox that does not work here is left out in silence", "TestProbe/a sandbox that is there and may not do its work", "TestASandboxThatIsGoneIsNotPassedBy", "TestALandlockThatIsNotUsable/a kernel that is too old for what is wanted"},
	{"a confined command is refused something, and the model tries again with more force", "TestUnderLandlockACommand/that was refused something is told how it is confined"},
	{"a secret that a command prints reaches the model", "TestSecretsOfTheHost", "TestPagesAreMaskedWhateverTheirEdges"},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	reports.Check(t, 40, reported, "*_test.go", "../internal/proc/*_test.go")
}
