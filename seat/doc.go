// Package seat is where agents sit: what a seat remembers and is asked to do, kept
// so that it survives the host, and controlled by an operator.
//
// # Overview
//
// A [Service] keeps rooms. A room has messages with integer ids, tasks, which are
// messages too, and seats. A seat has a queue: prompts, and wakes that it set
// itself. [Service.Run] takes what stands first and hands it to the host's [Handler]
// as a [Turn]: the prompt, what the seat remembers, its notes and notices. The
// handler is the host's own loop of model and tools. When it returns, the turn is
// committed: prompt and reply are an exchange of the seat's history. Tool calls,
// their results and images never cross a turn.
//
// Memory is the newest 12 exchanges that are neither excluded nor superseded, within
// a budget of characters; [BuildReplay] is the whole rule. What an operator reads
// with [Service.Context] is made by the same function. With [Service.Retry],
// [Service.Rewind], [Service.EditReply] and [Service.Exclude] the operator changes
// it. A seat's history_revision counts its changes, and each of the four takes the
// revision that the caller has read, so that nobody decides on a history that has
// moved on; each takes a request_id, so that a write whose answer was lost can be
// sent again. Forgetting is of the conversation alone: files, commands, tasks and
// decisions stay, and a dry run lists them. What is forgotten is a stub in the room
// for every reader; [Service.Audit] has what it said.
//
// Within a turn the seat acts through [Tools]: save_notes, remind, wait, finish, and
// while planning submit_plan and answer_user. Each effect is bound to its turn and
// call, so that it happens once, however often a call is made. Nobody takes back a
// single reminder or wait, nor a single prompt that is queued: a wake goes with the turn
// that set it when that is forgotten, with its run when that finishes, and a wait when
// the seat waits anew for the same; prompts go all together with drop_queued.
//
// A room has one run at a time. finish ends it; a new prompt opens the next, with the
// same memory; to forget the turn that finished a run opens that run again, with the
// reminders and waits that its end had cancelled.
//
// # Survival
//
// Every verb and every step is one transaction. A host that dies in a turn leaves it
// interrupted: the next Run resumes it once, from its last checkpoint, and tells it
// what was recorded and which calls may have taken effect. Interrupted again, it has
// failed, with what it had said. A turn is held by a generation: a handler that was
// given up for dead and comes back finds lease_lost, and nothing of it is written.
//
// A host that is stopped in good order, whose Run ends with its context in the middle
// of a turn, leaves that turn to be resumed too, and not as a crash: an hour of work
// that a kill would have left whole is not thrown away by Ctrl-C. What an operator
// ends with [Service.Stop], on whatever host, has failed, and so has a turn whose handler
// fails by itself.
// A disk that is full for a moment, or a store that another program holds, ends no Run
// that has something to wait for.
//
// Reminders and waits are rows; what is due is queued in the transaction that says
// so. One service fires what it armed by a clock that counts suspend and never
// jumps, and what was armed before a restart by the wall clock. Wakes that stand
// together in the queue are one turn's, 20 at most. A wait for a task ends with the
// task; one for a background job with its notice ([Service.Notify]), or with a look
// every 15 s, and a job that nobody knows any more is lost. A host that does not answer
// for a job holds up nothing but that job's seat, and that for two seconds.
//
// What a turn costs does not grow with the history, nor with the seats that do nothing.
//
// # Several machines
//
// A store of one owner is a file (seat/sqlite). One on a server (seat/postgres) has any
// number of hosts, which work the same rooms. A turn is then held by a lease, which its host
// renews as long as its handler runs, and which is known by a generation; times are the
// server's. A host that dies loses its turn when the lease runs out, and one that cannot
// reach the server for that long ends its handlers before another may have begun: their
// context ends. A call whose beginning cannot be kept is not made, so that what a
// turn does, it does under its lease. While the server is away nothing fails that can wait
// for it.
//
// Files and jobs stay where they are: a seat that has run with a project is bound to its
// host ([Options].Host, [Service.Bind]). A wait for a job is ended by the job's own host, and
// as lost by any other when that one has not been there for a lease.
//
// An engine of the host's own, River for one, may drive the timers ([Service.Wake] may be
// called any number of times) and say which seats to run; examples/river does. It is wanted
// where such an engine is there already, with its screens and limits, and not to make anything
// more reliable here.
//
// # Usage
//
//	store, err := sqlite.Open("state/seat.db", nil)
//	service, err := seat.Open(ctx, store, nil)
//	room, err := service.Join(ctx, seat.Spec{Room: "demo"})
//	_, err = service.Send(ctx, seat.Prompt{Ref: seat.Ref{RunID: room.Run}, Text: "Fix the test."})
//	err = service.Run(ctx, handler, &seat.RunOptions{Idle: true, Jobs: shell})
//
// and ExampleService_Run shows a handler with tools.
//
// # Trust
//
// Texts of models, operators and rooms are data; none is interpreted. A seat acts on
// itself only: its hold comes with its turn and names no other seat. A reminder's
// turn says that it is one, so that nobody takes it for the operator's word. Names of
// rooms, authors and operators are short and have no control characters. An
// [Operator] is bound by the host when it makes the tools; unknown arguments of the
// verbs are refused, because a misspelt dry_run would act.
//
// # Concurrency
//
// A Service is used from many goroutines. A seat is in one turn at a time; seats run
// side by side. Run starts goroutines and ends them all before it returns. Retry and
// Rewind ask an operator's reporters in goroutines, which end when those answer. Nothing
// else starts any. Several services may share one store.
//
// # Errors
//
// All that a caller can act on is an [*arc.Error]; every method names its codes.
// What the store itself could not do comes as the store's error from every method:
// no_space, io_error, permission_denied, locked, store_unavailable.
package seat
