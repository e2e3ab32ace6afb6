// Package files is a guide: give a model a project folder and a shell.
//
// # Overview
//
// Two families share the work. workspace.Workspace reads and changes files and can
// take every change back; shell.Shell runs commands, which can change anything and
// be taken back by nothing. A room that is Safe has the first alone. Offer both only
// where you would let the model type into your own terminal.
//
// A change names what it is based on: workspace_read gives a hash, workspace_edit takes
// it. If somebody has saved meanwhile, the change is stale and the error says what the
// file has become near the place. So a model cannot overwrite what it has not seen, and
// neither can two seats at once. Do not build a host that fetches the hash for the
// model: the hash is how you know that it has read.
//
// A command that is quick answers at once. One that outlives its block budget becomes a
// job, and the model goes on. When the job ends, shell.Options.Notify is told: post
// it where the model will see it, or, with a seat, to seat.Service.Notify, which also
// wakes a seat that waits for the job.
//
// # Usage
//
// The Example is a host in the small: open both on one folder, join them in a set, open
// a session for the turn, answer the model's calls. Then, in this order:
//
//   - name the state directory yourself if you run in a container: the journal must
//     outlive it, or undo ends with it;
//   - after a crash, look at workspace.Workspace.RecoveryStatus: blocked means that a
//     person is to decide, by Resolve, which of two versions stays;
//   - show workspace_history to the person: each change has an id that undoes it;
//   - close the shell before the workspace, and with a context that has time in it: it
//     ends what runs.
//
// Package examples/local has the wiring, and is short enough to copy.
//
// # Trust
//
// Paths are followed by directory handles, so a Safe model stays in the folder. A
// command is not confined and has the rights of the host's user. What files and
// commands say is data: it stands below the header line of a result, which only the
// host can write.
//
// # Concurrency
//
// Both are used from many goroutines, and several processes may open one folder: changes
// take turns, reads wait for nobody.
//
// # Errors
//
// A command that fails is a result. A change that is refused is an error with a code,
// one sentence, and mostly the exact next call: give it to the model as it is.
package files
