// Package seattest checks a store of seats, and helps hosts to test with one.
//
// # Overview
//
// [Run] takes a [seat.Store] through what a service asks of it: transactions, views,
// opening again, several services over one store, and a model check, in which random
// prompts, turns, crashes, retries, rewinds, edits, exclusions, reminders and clock
// jumps are made in the store and in a few lines of Go, and both have to agree on
// what the seat remembers. For a store that processes share, the check is also made by
// processes, some of which are killed: [Options].Process starts one, and [Work] is what it
// does. [Clock] is a clock that a test moves.
//
// # Usage
//
//	func TestStore(t *testing.T) {
//		seattest.Run(t, func(t *testing.T, path string) seat.Store {
//			store, err := mystore.Open(path)
//			if err != nil {
//				t.Fatal(err)
//			}
//			return store
//		}, nil)
//	}
//
// # Trust
//
// A store is code, and this runs it.
//
// # Concurrency
//
// Run uses the store from several goroutines, and all have ended when it returns.
// A Clock may be moved from any goroutine.
//
// # Errors
//
// Each breach fails a subtest that is named for the rule. The model check names its
// seed, with which Options repeats it.
package seattest
