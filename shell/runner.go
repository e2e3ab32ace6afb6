package shell

import (
	"context"
	"os"
)

// A Runner starts commands: on the host, in a sandbox, in a container, on
// another machine. It may be used from many goroutines.
type Runner interface {
	// Start runs s and returns once it runs. The context is for starting alone, and ends
	// with the call and with the Shell: a command that runs is ended by its Proc. An
	// *arc.Error is passed on to the model, any other error becomes spawn_failed.
	Start(ctx context.Context, s Spec) (Proc, error)
}

// A Confiner is a Runner that keeps commands from something. Its words are asked for
// once, when a Shell is opened.
type Confiner interface {
	Runner

	// Confined says in a few words what commands may do, as "they write to the project
	// alone". They are told to a model whose command was refused something. Empty: there
	// is nothing to tell.
	Confined() string
}

// A Spec is one command to run.
type Spec struct {
	Command string   // for bash, or else sh
	Dir     string   // absolute
	Env     []string // complete, NAME=value
	Stdin   string   // all of the standard input; empty: it is at its end at once
	Out     *os.File // the pipe for standard output and standard error both; the Shell closes its hold of it
	Job     string   // names the job on this machine; it is also in Env, as ARC_JOB
}

// A Proc is a command that was started, with all that it starts itself. Its
// methods may be used from many goroutines, and all but Exit are quick: Close waits for
// them.
type Proc interface {
	PID() int              // of the shell; 0: there is none on this machine
	Done() <-chan struct{} // closed when the shell has ended, whoever lives on
	Exit() Exit            // waits for Done
	Living() int           // how many processes live, the shell included until Done is closed
	Terminate() error      // asks all of them to end
	Kill() error           // ends all of them
}

// An Exit is how a command's shell ended.
type Exit struct {
	Code   int    // without meaning if Signal is set, or Unknown
	Signal string // the signal that ended it, as SIGSEGV
	// Unknown: it ended and nobody knows how, for example because the host reaps
	// its children elsewhere.
	Unknown bool
}
