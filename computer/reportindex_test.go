package computer_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The kinds of bugs that users of other desktop tools reported, and the tests that
// they became. A test is named as go test -run takes it, with its words as they stand
// in the code. What only another system than Linux can show is not proven here, and
// says so.
var reports = []struct {
	kind  string
	tests []string
}{
	{"characters come out by the places of an American keyboard", []string{"TestTextArrivesOnEveryLayout"}},
	{"a key that the layout lacks ends the program", []string{"TestAltGrOnAGermanKeyboard", "TestKeysOfALayoutThatLacksThem"}},
	{"a program that imports the package does not start without a display", []string{"TestThereIsNoDisplay", "TestABuildWithoutRobotgoSaysWhatToInstall"}},
	{"a capture is an empty picture", []string{"TestAScreenshotIsWhatIsOnTheScreen", "TestAScreenshotIsWhatXwdSees", "TestAPNGIsThePictureAndOpaque"}},
	{"a capture of a locked screen ends the program", []string{"TestAPictureThatCannotBeTaken"}},
	{"a connection for each call exhausts the server", []string{"TestManyCallsUseOneConnection"}},
	{"a drag moves and does not drag", []string{"TestADragMovesInSmallStepsAndEndsExactly", "TestAPageIsDraggedOn"}},
	{"an amount of scrolling is pixels here and notches there, or goes the other way", []string{"TestWhatEachActionSends/scrolling", "TestWhatEachActionSends/scrolling sideways"}}, // on Macs and Windows: not tried
	{"scrolling by default moves one pixel", []string{"TestWhatEachActionSends/scrolling turns three notches when nothing is said"}},
	{"a second monitor on the left shifts everything", []string{"TestAScreenThatDoesNotBeginAtZero"}},
	{"the pointer is not where it was moved to on a scaled screen", []string{"TestItKeepsTheRulesOfADesktop"}}, // on Windows: not tried
	{"a Wayland session shows and moves nothing", []string{"TestAWaylandSessionIsRefused"}},
	{"picture, size and click each have another unit", []string{"TestCoordinatesGoThereAndBack", "TestFrames"}},
	{"a picture of a dense screen is told as one of another scale", []string{"TestTheSizeOfAScreenshot/half of a retina screen", "TestFrames"}},
	{"a picture is shrunk and the clicks are not", []string{"TestEverySizeOfScreenAndPicture"}},
	{"a model's service shrinks the picture once more", []string{"TestTheSizeOfAScreenshot", "TestASizeKeepsTheLimits"}},
	{"a zoom is read in other coordinates, and what follows inherits that", []string{"TestFrames", "TestCoordinatesGoThereAndBack"}},
	{"a grid is not converted in a zoom", []string{"TestAGridIsScaledOnce"}},
	{"pixels are taken for a grid", []string{"TestAGridIsScaledOnce", "TestWhatIsOutsideOfTheFrameIsRefused/a native pixel"}},
	{"a large picture is refused once there are many", []string{"TestASizeKeepsTheLimits"}},
	{"a picture of megabytes ends the conversation", []string{"TestAPictureKeepsItsLimitOfBytes"}},
	{"names of keys come out as letters", []string{"TestAnUnknownKeyIsRefusedWithTheNearest", "TestKeysArriveAsTheyAreNamed"}},
	{"one foreign letter ends the typing", []string{"TestManyCharactersThatNoKeyHas"}},
	{"typed characters change places or vanish", []string{"TestManyCharactersThatNoKeyHas", "TestTypingIntoATerminal"}},
	{"codes of an American keyboard on another's session", []string{"TestTextArrivesOnEveryLayout", "TestAWaylandSessionIsRefused"}},
	{"a key is too short for a program to see", []string{"TestKeysAndButtonsAreDownForATime"}},
	{"a modifier stays down", []string{"TestNothingIsHeldAfterAFailureAtAnyStep", "TestNothingIsHeldAfterACancelAtAnyTime", "TestAProcessThatIsKilledInADrag"}},
	{"a screenshot shows the state before the action", []string{"TestTheScreenshotWaitsForTheEffect"}},
	{"guessed pauses instead of waiting for a still screen", []string{"TestTheScreenshotWaitsForTheEffect"}},
	{"the pointer is not in the picture", []string{"TestThePointerIsInThePicture"}},
	{"input into a window of more rights vanishes, and the tool says ok", []string{"TestTheResultSaysWhatHasChanged"}}, // what can be said: nothing has changed
	{"success, and an unchanged page", []string{"TestTheResultSaysWhatHasChanged"}},
	{"no display ends the program", []string{"TestThereIsNoDisplay", "TestAServerThatDies", "TestAServerThatDiesInACall"}},
	{"a drag in one jump is none", []string{"TestADragMovesInSmallStepsAndEndsExactly", "TestAPageIsDraggedOn"}},
	{"without permission only the wallpaper is captured", []string{"TestADesktopThatMayNotBeSeen"}}, // whether a Mac says so: not tried
	{"every negative scroll goes up", []string{"TestWhatEachActionSends/scrolling up is not down", "TestNothingHappensUnlessAllOfACallMakesSense/a negative scroll"}},
}

func TestEachReportHasItsTest(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*_test.go", "x11/*_test.go", "robot/*_test.go"} {
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
	if len(reports) != 36 {
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
