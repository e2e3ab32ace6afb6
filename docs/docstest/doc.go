// Package docstest has what tests of PDF reading need: a suite that every
// docs.Engine passes, an engine that does as it is told, and a writer of small PDF
// files.
//
// # Overview
//
// [Run] takes an engine through what package docs asks of it, on files that the suite
// makes itself: good ones, damaged ones, and such as lie. [Fake] is an engine that
// parses nothing: each of its files has a [Script] that says what its pages are and
// what goes wrong. It has no C code and no child process, so that a host can test
// what it does with documents anywhere. [File] writes real PDF files, of text, ink and
// labels, with a password if need be.
//
// # Usage
//
//	func TestEngine(t *testing.T) {
//		docstest.Run(t, func(t testing.TB) docs.Engine { return newEngine(t) }, nil)
//	}
//
//	fake := docstest.NewFake()
//	words := strings.Repeat("Words of a page. ", 10) // with fewer than a hundred letters it is sparse
//	os.WriteFile("report.pdf", fake.File(docstest.Script{Pages: docstest.Text("One. "+words, "Two. "+words)}), 0o644)
//	library := docs.New(files, fake, nil)
//
// # Trust
//
// The suite's files are made to do harm to a parser: run an engine that lives in the
// test's own process only if you mean to find out. The writer makes files for tests; it
// is not for documents that somebody keeps. Its password protects nothing.
//
// # Concurrency
//
// A Fake is safe for concurrent use; its scripts' functions are called from several
// goroutines. The suite uses an engine from several goroutines.
//
// # Errors
//
// Run fails the test, in a subtest that is named for the rule. A Fake returns the
// errors of package docs, or what its scripts say.
package docstest
