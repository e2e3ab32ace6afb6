package seat_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The kinds of bugs that users of other agents reported, and the tests that they
// became here. A test is named as go test -run takes it, with its words as they stand
// in the code.
var reports = []struct {
	kind  string
	tests []string
}{
	{"a crash between two writes leaves a history that no turn can be built from", []string{"TestAWriteThatIsBrokenOffLeavesNothing", "TestKills"}},
	{"a record that is no message stands last and hides the history", []string{"TestWhatComesAfterTheLastTurnHidesNothing"}},
	{"an interrupted call without a result kills the conversation", []string{"TestATurnThatIsCanceledWithinItsCalls"}},
	{"an output that could not be saved is never saved", []string{"TestAnEndThatCouldNotBeKeptIsKeptLater"}},
	{"the calls beside one that ends the turn are not kept", []string{"TestABatchThatEndsTheTurnIsKeptWhole"}},
	{"a resume appends the same call again", []string{"TestACallIsOneStepHoweverOftenItsTurnIsResumed"}},
	{"the newest time wins, although its branch was left", []string{"TestAForgottenTurnWithALaterTimeStaysForgotten"}},
	{"notes, plans and reminders survive a rewind and mislead", []string{"TestForgettingTakesBackWakesAndNotes", "TestPlans/rewinding withdraws a plan that was not approved"}},
	{"a rewound conversation is there again when it is read anew", []string{"TestARewoundConversationStaysAwayFromWhoeverReadsAnew"}},
	{"what was rewound is filtered for the model alone", []string{"TestEverybodyGoesByTheSameHistory", "TestStore/it agrees with the model"}},
	{"a rewind takes what was set at the start", []string{"TestRewindingToTheFirstTurnKeepsTheSeat"}},
	{"an id is given again after a rewind", []string{"TestIDsAreNeverGivenAgain"}},
	{"a prompt slips in between the check and the act", []string{"TestARetryAndAPromptAtTheSameMoment"}},
	{"a write whose answer was lost is done twice", []string{"TestRequestIDs/a thousand at once are one effect"}},
	{"request ids are known in memory alone", []string{"TestRequestIDs/a write that is sent again is answered from memory, also after a restart", "TestKills"}},
	{"a retry doubles the prompt", []string{"TestRetry/the user's prompt is not doubled, and the old reply is a stub"}},
	{"an aborted turn posts the reply of before", []string{"TestInterruptedTurns/interrupted twice has failed, with what it had said, and posts nothing else", "TestALeaseThatRunsOutIsTakenOver", "TestStore/a turn that was taken over writes nothing"}},
	{"a queued prompt is folded into another", []string{"TestInterruptedTurns/queued prompts stay, each a turn of its own, in order"}},
	{"queued prompts vanish at an interrupt, or nobody hears of it", []string{"TestRetry/queued turns block, or are dropped and told", "TestSend/who waits is told how it ended", "TestInterruptedTurns/queued prompts stay, each a turn of its own, in order"}},
	{"a message or a wake kills the running turn", []string{"TestAPromptAndAWakeDuringATurnWaitForItsEnd"}},
	{"a wake runs once on each instance", []string{"TestAReminderComesOnceHoweverManyLook/by five services of one store", "TestStore/several services over one store run each turn once"}},
	{"a reminder fires at each look, and after each restart", []string{"TestAReminderComesOnceHoweverManyLook/twice, and after seven restarts"}},
	{"a reminder is lost between its firing and its turn", []string{"TestAReminderComesOnceHoweverManyLook/also where the host dies after it was queued, and once more in its turn", "TestKills"}},
	{"a clock that is set stops the timers, or fires them all", []string{"TestReminders/a step of the wall clock neither hurries nor delays it", "TestAReminderComesOnceHoweverManyLook/by a machine that slept for three hours, or whose clock was set by a year"}},
	{"a job ends around the wait for it, and nobody is woken", []string{"TestWait/for a job that ends at any moment around the call is satisfied or woken once"}},
	{"waiting is told as done", []string{"TestAWaitingTurnIsNowhereToldAsDone"}},
	{"what is to come is lost in a restart", []string{"TestReminders/comes after a restart, and says how late", "TestKills"}},
	{"old reminders are replayed in bulk", []string{"TestReminders/one that is later than the host allows is skipped, and the log says so", "TestWhatIsLongOverdueComesInOneTurn"}},
	{"wakes that come together storm, or are miscounted", []string{"TestReminders/thirty that are due together are two turns with thirty notes"}},
	{"an old engine damages its log", []string{"TestTheEngineIsNewEnough", "TestWritersReadersAndCheckpointsDamageNothing"}},
	{"pools of connections meet a busy database, and leak files", []string{"TestEightWritersAreAllServed"}},
	{"what is typed while the context is compacted is lost", []string{"TestAPromptDuringACheckpointIsKept"}},
	{"a text is cut within a character", []string{"TestReplayProperties"}},
	{"a large result is cut before it is kept, or kept twice", []string{"TestALargeResultLeavesASmallStep"}},
	{"a planning turn writes, or runs a command", []string{"TestPlans/nothing that changes something can be called, also after a restart"}},
	{"a gate that cannot be asked loops, or is gone round", []string{"TestFinish/tells all that is missing at once, and what to do", "TestFinish/a gate that panics could not be asked, and holds nothing up", "TestFinish/the same answer three times is the host's business"}},
	{"recovery strands work, or takes it up twice", []string{"TestAStoreThatGoesAwayDuringRecoveryStrandsNothing", "TestRunsSideBySideBeginEachTurnOnce", "TestThereIsNoSecondOwner"}},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*_test.go", "sqlite/*_test.go", "seattest/*.go"} {
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
			if !strings.Contains(all, "func "+top+"(t *testing.T)") || sub != "" && !strings.Contains(all, strconv.Quote(sub)) {
				t.Errorf("%s: there is no test %q", r.kind, name)
			}
		}
	}
}
