package seat_test

import (
	"testing"

	"github.com/arcseat/arc/internal/reports"
)

// The kinds of bugs that users of other agents reported, and the tests that they
// became here. A test is named as go test -run takes it, with its words as they stand
// in the code.
var reported = [][]string{
	{"a crash between two writes leaves a history that no turn can be built from", "TestAWriteThatIsBrokenOffLeavesNothing", "TestKills"},
	{"a record that is no message stands last and hides the history", "TestWhatComesAfterTheLastTurnHidesNothing"},
	{"an interrupted call without a result kills the conversation", "TestATurnThatIsCanceledWithinItsCalls"},
	{"an output that could not be saved is never saved", "TestAnEndThatCouldNotBeKeptIsKeptLater"},
	{"the calls beside one that ends the turn are not kept", "TestABatchThatEndsTheTurnIsKeptWhole"},
	{"a resume appends the same call again", "TestACallIsOneStepHoweverOftenItsTurnIsResumed"},
	{"the newest time wins, although its branch was left", "TestAForgottenTurnWithALaterTimeStaysForgotten"},
	{"notes, plans and reminders survive a rewind and mislead", "TestForgettingTakesBackWakesAndNotes", "TestPlans/rewinding withdraws a plan that was not approved"},
	{"a rewound conversation is there again when it is read anew", "TestARewoundConversationStaysAwayFromWhoeverReadsAnew"},
	{"what was rewound is filtered for the model alone", "TestEverybodyGoesByTheSameHistory", "TestStore/it agrees with the model"},
	{"a rewind takes what was set at the start", "TestRewindingToTheFirstTurnKeepsTheSeat"},
	{"an id is given again after a rewind", "TestIDsAreNeverGivenAgain"},
	{"a prompt slips in between the check and the act", "TestARetryAndAPromptAtTheSameMoment", "TestARetryAndATurnThatBeginsAtTheSameMoment"},
	{"a write whose answer was lost is done twice", "TestRequestIDs/a thousand at once are one effect"},
	{"request ids are known in memory alone", "TestRequestIDs/a write that is sent again is answered from memory, also after a restart", "TestKills"},
	{"a retry doubles the prompt", "TestRetry/the user's prompt is not doubled, and the old reply is a stub"},
	{"an aborted turn posts the reply of before", "TestInterruptedTurns/interrupted twice has failed, with what it had said, and posts nothing else", "TestALeaseThatRunsOutIsTakenOver", "TestStore/a turn that was taken over writes nothing"},
	{"a queued prompt is folded into another", "TestInterruptedTurns/queued prompts stay, each a turn of its own, in order"},
	{"queued prompts vanish at an interrupt, or nobody hears of it", "TestRetry/queued turns block, or are dropped and told", "TestSend/who waits is told how it ended", "TestInterruptedTurns/queued prompts stay, each a turn of its own, in order"},
	{"a message or a wake kills the running turn", "TestAPromptAndAWakeDuringATurnWaitForItsEnd"},
	{"a wake runs once on each instance", "TestAReminderComesOnceHoweverManyLook/by five services of one store", "TestStore/several services over one store run each turn once"},
	{"a reminder fires at each look, and after each restart", "TestAReminderComesOnceHoweverManyLook/twice, and after seven restarts"},
	{"a reminder is lost between its firing and its turn", "TestAReminderComesOnceHoweverManyLook/also where the host dies after it was queued, and once more in its turn", "TestKills"},
	{"a clock that is set stops the timers, or fires them all", "TestReminders/a step of the wall clock neither hurries nor delays it", "TestAReminderComesOnceHoweverManyLook/by a machine that slept for three hours, or whose clock was set by a year"},
	{"a job ends around the wait for it, and nobody is woken", "TestWait/for a job that ends at any moment around the call is satisfied or woken once"},
	{"waiting is told as done", "TestAWaitingTurnIsNowhereToldAsDone"},
	{"what is to come is lost in a restart", "TestReminders/comes after a restart, and says how late", "TestKills"},
	{"old reminders are replayed in bulk", "TestReminders/one that is later than the host allows is skipped, and the log says so", "TestWhatIsLongOverdueComesInOneTurn"},
	{"wakes that come together storm, or are miscounted", "TestReminders/thirty that are due together are two turns with thirty notes"},
	{"an old engine damages its log", "TestTheEngineIsNewEnough", "TestWritersReadersAndCheckpointsDamageNothing"},
	{"pools of connections meet a busy database, and leak files", "TestEightWritersAreAllServed"},
	{"what is typed while the context is compacted is lost", "TestAPromptDuringACheckpointIsKept"},
	{"a text is cut within a character", "TestReplayProperties"},
	{"a large result is cut before it is kept, or kept twice", "TestALargeResultLeavesASmallStep"},
	{"a planning turn writes, or runs a command", "TestPlans/nothing that changes something can be called, also after a restart"},
	{"a gate that cannot be asked loops, or is gone round", "TestFinish/tells all that is missing at once, and what to do", "TestFinish/a gate that panics could not be asked, and holds nothing up", "TestFinish/the same answer three times is the host's business"},
	{"recovery strands work, or takes it up twice", "TestAStoreThatGoesAwayDuringRecoveryStrandsNothing", "TestRunsSideBySideBeginEachTurnOnce", "TestThereIsNoSecondOwner"},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	reports.Check(t, 37, reported, "*_test.go", "sqlite/*_test.go", "seattest/*.go")
}
