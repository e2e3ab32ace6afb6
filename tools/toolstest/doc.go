// Package toolstest checks that tools keep the rules of package arc: those of the
// families and those of anybody else.
//
// # Overview
//
// [Run] takes a provider through all rules, each as a subtest that is named for
// it. [Check] does the same outside of a test. [Schema] compares the schema of
// one of the 24 runtime tools, or of the five verbs, with its source document.
//
// # Usage
//
//	func TestConformance(t *testing.T) {
//		toolstest.Run(t, provider, &toolstest.Options{
//			Calls: []arc.Call{{Name: "clock", Args: json.RawMessage(`{"zone":"UTC"}`)}},
//		})
//	}
//
// Without Calls the rules about definitions and bad arguments are still checked,
// and no tool runs. With them the provider's tools run for real, several times,
// some at once and some canceled: give calls that may be repeated, in a place
// that may be changed.
//
// # Trust
//
// A provider is code, and this runs it. What its tools return is only measured.
//
// # Concurrency
//
// Run and Check use the provider from several goroutines, and return when all
// calls have. Run the tests with -race: only that shows a race.
//
// # Errors
//
// Check returns every breach at once, each beginning with the rule's name.
package toolstest
