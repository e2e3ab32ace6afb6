// The program river is a host of seats that has no loop of its own: jobs of River, a queue
// in the same PostgreSQL, say when there is something to do.
//
//	go run . -store postgres://user@host/database
//
// A seat needs no such engine: seat.Service.Run finds what is queued and what is due by
// itself, at once. It is wanted where a host has one already, with its own workers, its limits,
// its screens of what runs and what has failed, and does not want a second loop beside it.
// River may tell of the same thing any number of times, or late: Sit runs what there is, and
// seat.Service.Wake fires a wake once.
//
// A task and its job are two transactions: one whose host dies in between waits for the seat's
// next job. So does a turn that a dead host has left: for a later task's, a reminder's, or its
// own, which River gives to another host when it takes it for stuck, after an hour unless it is
// told otherwise. A seat.Service.Run anywhere is sooner: it begins the one at once, and takes the
// other over when its lease runs out.
package main
