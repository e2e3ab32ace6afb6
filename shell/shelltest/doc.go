// Package shelltest has what tests of commands need: a suite that every shell.Runner
// passes, and a runner that starts no process.
//
// # Overview
//
// [Run] takes a runner through what package shell asks of it: exits, the order of
// output, standard input, ends of trees of processes. [Fake] is a runner whose commands
// are Go functions, so that a host can test what it does with commands, jobs and notices
// anywhere, without a shell.
//
// # Usage
//
//	func TestRunner(t *testing.T) {
//		shelltest.Run(t, func(t testing.TB) shell.Runner { return newRunner(t) }, nil)
//	}
//
//	fake := &shelltest.Fake{Do: func(c *shelltest.Command) shell.Exit {
//		fmt.Fprintln(c, "1 test failed")
//		return shell.Exit{Code: 1}
//	}}
//	sh, err := shell.Open(dir, &shell.Options{Runner: fake})
//
// # Trust
//
// The suite runs small commands with the rights that the runner gives them. They write
// nothing but what they say.
//
// # Concurrency
//
// A Fake is safe for concurrent use; its functions are called from several goroutines.
// The suite uses a runner from several goroutines.
//
// # Errors
//
// Run fails the test, in a subtest that is named for the rule. A Fake returns what its
// Refuse says.
package shelltest
