// Package computertest has a desktop that is none, for tests of hosts, and the
// suite that every computer.Desktop passes.
//
// # Overview
//
// [Fake] is a desktop in memory: each pixel's colour tells where it is, what is
// sent to it is written down, and a test can change its screen, its size and its
// temper. [Run] takes any Desktop through the rules of the interface.
//
// # Usage
//
//	f := computertest.New(1280, 800)
//	pc, err := computer.Open(ctx, f, nil)
//	…
//	fmt.Println(f.Events())
//
// A fake waits with the time package, so that inside of testing/synctest no time
// passes.
//
// # Trust
//
// Run presses keys and buttons, moves the pointer and types on the desktop that it
// is given: give it one of its own.
//
// # Concurrency
//
// A Fake may be used and changed from many goroutines.
//
// # Errors
//
// A Fake answers shutting_down once it is closed, unknown_key for a key without a
// keysym, and whatever the test tells it to.
package computertest
