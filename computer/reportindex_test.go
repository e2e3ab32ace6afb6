package computer_test

import (
	"testing"

	"github.com/arcseat/arc/internal/reports"
)

// The kinds of bugs that users of other desktop tools reported, and the tests that
// they became. A test is named as go test -run takes it, with its words as they stand
// in the code. What only another system than Linux can show is not proven here, and
// says so.
var reported = [][]string{
	{"characters come out by the places of an American keyboard", "TestTextArrivesOnEveryLayout"},
	{"a key that the layout lacks ends the program", "TestAltGrOnAGermanKeyboard", "TestKeysOfALayoutThatLacksThem"},
	{"a program that imports the package does not start without a display", "TestThereIsNoDisplay", "TestABuildWithoutRobotgoSaysWhatToInstall"},
	{"a capture is an empty picture", "TestAScreenshotIsWhatIsOnTheScreen", "TestAScreenshotIsWhatXwdSees", "TestAPNGIsThePictureAndOpaque"},
	{"a capture of a locked screen ends the program", "TestAPictureThatCannotBeTaken"},
	{"a connection for each call exhausts the server", "TestManyCallsUseOneConnection"},
	{"a drag moves and does not drag", "TestADragMovesInSmallStepsAndEndsExactly", "TestAPageIsDraggedOn"},
	{"an amount of scrolling is pixels here and notches there, or goes the other way", "TestWhatEachActionSends/scrolling", "TestWhatEachActionSends/scrolling sideways"}, // on Macs and Windows: not tried
	{"scrolling by default moves one pixel", "TestWhatEachActionSends/scrolling turns three notches when nothing is said"},
	{"a second monitor on the left shifts everything", "TestAScreenThatDoesNotBeginAtZero"},
	{"the pointer is not where it was moved to on a scaled screen", "TestItKeepsTheRulesOfADesktop"}, // on Windows: not tried
	{"a Wayland session shows and moves nothing", "TestAWaylandSessionIsRefused"},
	{"picture, size and click each have another unit", "TestCoordinatesGoThereAndBack", "TestFrames"},
	{"a picture of a dense screen is told as one of another scale", "TestTheSizeOfAScreenshot/half of a retina screen", "TestFrames"},
	{"a picture is shrunk and the clicks are not", "TestEverySizeOfScreenAndPicture"},
	{"a model's service shrinks the picture once more", "TestTheSizeOfAScreenshot", "TestASizeKeepsTheLimits"},
	{"a zoom is read in other coordinates, and what follows inherits that", "TestFrames", "TestCoordinatesGoThereAndBack"},
	{"a grid is not converted in a zoom", "TestAGridIsScaledOnce"},
	{"pixels are taken for a grid", "TestAGridIsScaledOnce", "TestWhatIsOutsideOfTheFrameIsRefused/a native pixel"},
	{"a large picture is refused once there are many", "TestASizeKeepsTheLimits"},
	{"a picture of megabytes ends the conversation", "TestAPictureKeepsItsLimitOfBytes"},
	{"names of keys come out as letters", "TestAnUnknownKeyIsRefusedWithTheNearest", "TestKeysArriveAsTheyAreNamed"},
	{"one foreign letter ends the typing", "TestManyCharactersThatNoKeyHas"},
	{"typed characters change places or vanish", "TestManyCharactersThatNoKeyHas", "TestTypingIntoATerminal"},
	{"codes of an American keyboard on another's session", "TestTextArrivesOnEveryLayout", "TestAWaylandSessionIsRefused"},
	{"a key is too short for a program to see", "TestKeysAndButtonsAreDownForATime"},
	{"a modifier stays down", "TestNothingIsHeldAfterAFailureAtAnyStep", "TestNothingIsHeldAfterACancelAtAnyTime", "TestAProcessThatIsKilledInADrag"},
	{"a screenshot shows the state before the action", "TestTheScreenshotWaitsForTheEffect"},
	{"guessed pauses instead of waiting for a still screen", "TestTheScreenshotWaitsForTheEffect"},
	{"the pointer is not in the picture", "TestThePointerIsInThePicture"},
	{"input into a window of more rights vanishes, and the tool says ok", "TestTheResultSaysWhatHasChanged"}, // what can be said: nothing has changed
	{"success, and an unchanged page", "TestTheResultSaysWhatHasChanged"},
	{"no display ends the program", "TestThereIsNoDisplay", "TestAServerThatDies", "TestAServerThatDiesInACall"},
	{"a drag in one jump is none", "TestADragMovesInSmallStepsAndEndsExactly", "TestAPageIsDraggedOn"},
	{"without permission only the wallpaper is captured", "TestADesktopThatMayNotBeSeen"}, // whether a Mac says so: not tried
	{"every negative scroll goes up", "TestWhatEachActionSends/scrolling up is not down", "TestNothingHappensUnlessAllOfACallMakesSense/a negative scroll"},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	reports.Check(t, 36, reported, "*_test.go", "x11/*_test.go", "robot/*_test.go")
}
