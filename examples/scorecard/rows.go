package main

import (
	"fmt"
	"strings"
	"time"
)

// A row is one thing that is judged, by one check or several.
type row struct {
	name, about string
	checks      []check
	count       bool          // the value is how many of the tests pass, and all are wanted
	limit       time.Duration // for each check, once it is built; 0: two minutes
}

// A check is tests of one package.
type check struct {
	dir   string   // from the root of the repository
	tests []string // names: TestA, BenchmarkB, and behind a / the part of it, as -run and -bench take it
	flags []string // of the test program
}

const nameWidth = len("durable_edit")

var rows = []row{
	{name: "surface", about: "every property and constraint of every tool is met and broken by a call", checks: []check{
		{dir: "examples/local", tests: []string{"TestEveryConstraintIsMetAndBroken"}},
	}},
	{name: "jobs", about: "what users do with it, end to end", count: true, limit: 4 * time.Minute, checks: []check{
		{dir: "examples/agent", tests: []string{ // as its README has them
			"TestFixAFailingTest", "TestAClauseInA500PagePDF", "TestALongBuildInTheBackground", "TestTheHostDiesDuringAWrite",
			"TestTheOperatorRetriesABadTurn", "TestTwoSeatsOneFile", "TestAReminderOverARestart", "TestASafeSeatMeetsAHostilePage",
			"TestAPlanningTurn", "TestAServiceWithAHugeAnswer", "TestALongConversation", "TestAFormOnTheDesktop",
		}},
	}},
	{name: "tokens", about: "what the definitions cost a model", checks: []check{
		{dir: "examples/local", tests: []string{"TestWhatDefinitionsCost"}},
	}},
	{name: "discovery", about: "plain words find the tool", checks: []check{
		{dir: "examples/local", tests: []string{"TestPlainWordsFindTheRealTools"}},
	}},
	{name: "overhead", about: "what a call costs beside what the tool does", checks: []check{
		{dir: "tools", tests: []string{"TestWhatACallAllocates"}},
		{dir: "tools/mcptool", tests: []string{"TestDispatchIsCheapBesideARoundTrip"}},
	}},
	{name: "durable_edit", about: "an edit that survives a power cut, beside a bare write that does", checks: []check{
		{dir: "workspace", tests: []string{"BenchmarkDurableEdit"}, flags: []string{"-test.benchtime", "100x"}},
	}},
	{name: "search", about: "searching beside ripgrep", limit: 3 * time.Minute, checks: []check{
		{dir: "workspace", tests: []string{"TestSearchBesideRipgrep"}, flags: []string{"-benchmarks", "-rounds", "5"}},
	}},
	{name: "crash", about: "a process dies, or the power fails, at each step of a change and of the recovery", limit: 3 * time.Minute, checks: []check{
		{dir: "workspace", tests: []string{"TestACrashAtEachStep", "TestAPowerCut"}},
	}},
	{name: "kill", about: "programs are killed at any moment", limit: 3 * time.Minute, checks: []check{
		{dir: "examples/call", tests: []string{"TestAKilledScriptLosesNothing"}, flags: []string{"-kills", "200"}},
		{dir: "workspace", tests: []string{"TestKills"}, flags: []string{"-kills", "50"}},
		{dir: "seat/sqlite", tests: []string{"TestKills"}},
		{dir: "examples/agent", tests: []string{"TestKilledVerbsHappenOnce"}},
	}},
	{name: "tamper", about: "damage and forgery of the journal", checks: []check{
		{dir: "workspace", tests: []string{"TestNoTamperingIsSilent", "TestAKeyFindsEachForgedRecord"}},
	}},
	{name: "shell", about: "order and size of what commands print, and what outlives them", checks: []check{
		{dir: "shell", tests: []string{"TestArrivalOrder", "TestAGigabyteOfOutput", "TestNothingIsLeftBehind"}},
	}},
	{name: "bounded", about: "no result is too long, whatever is asked", limit: 3 * time.Minute, checks: []check{
		{dir: "examples/local", tests: []string{"TestNoResultIsTooLong"}},
	}},
	{name: "ssrf", about: "addresses in disguise, none of which is reached", limit: 4 * time.Minute, checks: []check{
		{dir: "webtool", tests: []string{"TestNoFormReachesThisMachine"}},
	}},
	{name: "modes", about: "each tool is where it may be, and nowhere else", checks: []check{
		{dir: "examples/local", tests: []string{"TestMatrixOfTheRealTools"}},
	}},
	{name: "pdf", about: "real and damaged files, beside pdftotext", limit: 4 * time.Minute, checks: []check{
		{dir: "docs", tests: []string{"TestEveryFileHasAnOutcome", "TestTextAgreesWithPdftotext"}},
	}},
	{name: "webtext", about: "what of a page comes through, beside other libraries", limit: 3 * time.Minute, checks: []check{
		{dir: "webtool/internal/anchors", tests: []string{"TestMainPartOfArticles", "TestReferencePages", "TestSpeed"}},
	}},
	{name: "latency", about: "an action on the desktop and its picture, beside the usual recipe", limit: 3 * time.Minute, checks: []check{
		{dir: "computer/x11", tests: []string{"BenchmarkActionAndScreenshot/./mouse_move/^(ours|recipe)$"}, flags: []string{"-test.benchtime", "15x"}},
	}},
	{name: "model", about: "seats do what a small model of them does", limit: 3 * time.Minute, checks: []check{
		{dir: "seat/sqlite", tests: []string{"TestStore/agrees"}, flags: []string{"-ops", "5000"}},
	}},
}

// only are the rows of these names.
func only(names string) ([]row, error) {
	if names == "" {
		return rows, nil
	}
	var some []row
	for name := range strings.SplitSeq(names, ",") {
		found := false
		for _, r := range rows {
			if r.name == name {
				some, found = append(some, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no row %q; -list has those that there are", name)
		}
	}
	return some, nil
}
