// Operator is an operator's command line: it reads what a seat remembers and changes
// it, decides on plans, keeps tasks, and ends a running turn.
//
//	go run ./examples/operator -dir D -room demo context
//	go run ./examples/operator -dir D -room demo retry last -dry-run
//	go run ./examples/operator -dir D -room demo retry 3 'Fix the test, and nothing else.' -revision 7 -request-id r1
//	go run ./examples/operator -dir D -room demo approve plan_…
//
// A turn is named by its id, by its number, or as last. A text may be - for standard
// input. With -request-id a turn is named by its id or number: last may be another
// one when the same is sent again. Flags stand anywhere before a --. No verb takes back a
// single reminder or a single task that is queued: a reminder goes with its turn or its
// run, and -drop-queued drops all tasks of the queue.
//
// # Whose store it is
//
// The store of a project's seats has one owner at a time. Where that is an agent
// that runs turns (examples/agent -room), the verbs are done there, so that a seat
// that waits is woken and a turn that runs is ended. Another owner (examples/call)
// lets nobody in: then the store is locked, and the error names the process.
//
// With -store the rooms are on a PostgreSQL server, which has no owner: the verbs are done
// there, and agents on all machines hear of it; a turn is stopped wherever it runs. What
// stays in the project and the shell is told as far as it is in -dir.
//
// # Reading
//
// main.go has the flags and the verbs, window.go draws what is remembered, told.go
// the rest. With -json each verb prints its answer as it is, an error included.
//
// # Exit codes
//
// 0; 1 where the verb was refused or could not be done, whatever the cause; 2 for wrong
// use. A dry run that would be refused is 0: it says so. A flag that the verb does not
// have is wrong use: -dry-run is for retry and rewind.
//
// # Trust
//
// What it prints was said by models and operators: control characters are taken out.
package main
