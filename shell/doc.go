// Package shell runs commands for a seat: in the foreground while they are
// quick, as background jobs when they are not, with all that they say kept to be
// paged.
//
// # Overview
//
// A command runs in bash, each in a fresh one: no cd and no export carries over.
// Standard output and standard error are one pipe, so that they are kept in the
// order in which they were written, in a spool outside the project. The answer
// comes when the shell has ended, not when the last holder of the pipe has: a
// server started with & does not hold it up.
//
// A command is its whole group, which is a session of its own without a terminal.
// What the shell leaves running becomes a background job, as does a command that
// outlives its block budget (15 s). A job ends with its group, or is ended with
// its timeout (120 s, at most 900): TERM, 2 s, KILL. A seat has 4 jobs at most;
// with none of the slots free a command stays in the foreground to its own
// timeout, and nothing is ended for want of a slot.
//
// Nothing is left behind. What starts a session of its own, as a daemon does, has
// left the group: a command that ends by itself leaves it alone, and it ends with
// a command that is ended, at Close, and when the host is killed; [Options.Sweep]
// says otherwise. One that holds its command's output keeps a reader, and what that
// has open, for as long. For the last there is a watch, one sh that sleeps on a pipe
// until the host is gone, however that went. Should it be gone as well, the next
// Open ends what is left, and says killed (host_restart) of what ran.
//
// Answers show a preview of 16 KiB, a quarter from the start of the output and
// the rest from its end, without escape sequences and overwritten lines. It says
// what it omits and which call shows that. The spool keeps raw bytes: the first
// 256 MiB of each command, and the last MiB. Pages of it never cut a character,
// and joined they are the whole, decoded. Spools are kept for 24 h and 2 GiB,
// also across a restart; the oldest go first, but none whose command runs or
// whose turn is its seat's last.
//
// Statuses are honest. A command that was ended is never completed, a signal is
// no exit code, and an exit code is never made up. The word is completed, not
// succeeded: in a pipeline the exit code is that of the last stage, and the
// result says so.
//
// # Usage
//
//	sh, err := shell.Open(dir, &shell.Options{Notify: post})
//	if err != nil {
//		return err
//	}
//	defer sh.Close(ctx)
//	res, err := sh.Exec(ctx, arc.Origin{Seat: "writer"}, shell.ExecArgs{Command: "go test ./..."})
//
// [Shell] is an [arc.Provider]: give it to tools.NewSet. [Options.Notify] gets a
// notice when a job has ended; a seat's wait asks [Shell.JobStatus].
//
// # Trust
//
// Commands are not confined: [HostRunner] gives them the rights of the host, and
// that is why the tools need Full Access. A host that wants less has three ways.
// [NewLandlock] confines commands on Linux without any other program: they write
// to the project, a TMPDIR of their own and the caches that the host names; TCP,
// signals to the host and its memory and environment are refused.
// [LandlockRunner.Lacks] says what is not: reading, UDP, and Unix sockets that have
// a path, as that of Docker. [HostRunner.Wrap] puts bubblewrap, sandbox-exec, docker
// exec or ssh in front of the shell, and [Probe] says whether that works. A [Runner]
// of the host's own does what it likes; package shelltest has a suite for it. A
// sandbox that cannot be used is sandbox_unavailable: no command runs without it
// instead. The model is told how it is confined when a command was refused
// something.
//
// A host's environment holds the keys of its models. Commands get a list of what
// toolchains need, without names that look like secrets, and settings that keep
// programs from asking questions; [Options.Env] adds to it and
// [Options.InheritAll] lifts it. Everything that a command says is data: it
// stands after the header line of a result, and its escape sequences are gone
// from previews. The spool of one seat is not_found for every other. Without a
// sandbox a command of the host's own user can still read the host's environment
// and memory in /proc.
//
// Values that [Options.Secrets] names are covered by asterisks in previews, pages,
// notices and records, at whatever edge of a page they lie; offsets stay those of
// the raw bytes, which the spool keeps. It guards against accidents alone.
//
// Who means to stay can: a process that was started without ARC_JOB in its
// environment (env -i), or has written over it, in a session of its own and with
// its output elsewhere is found by nobody. Neither is one there that lets nobody look
// at it (ssh-agent does that; a host that is root looks all the same), nor what
// another program starts on a command's behalf, as cron, systemd or a container's
// daemon does. Where a host is killed, one that has left, and forks and exits again and
// again, may outrun the watch; the next Open ends it with what ran.
//
// # Concurrency
//
// All methods may be used from many goroutines, and several hosts may share a
// state directory: their spools have one limit together, and a job whose host is
// gone is taken by one of them. Notices come one at a time, a seat's in the order in
// which its jobs ended. One that is refused is told again until it is taken, by this
// host or the next; so is one that a host was killed before telling, and one that it
// was telling then, with the same JobID. Raw output
// goes to the turn's progress from the goroutine that reads the pipe, and must not
// be held up there. [Shell.Close] ends every command and every goroutine. Only
// orphans of its own commands are reaped, never another child of the host: one
// that is process 1 needs no init for them, but for daemons that end by themselves.
//
// # Errors
//
// A command that fails, times out or is ended is a result. Errors are for what
// was not done, each an [*arc.Error]; every method names its codes.
//
// # Platforms
//
// Linux is tested. On macOS the package builds and was not tried: a pipe there
// holds 64 KiB, so a program that exits before its output is written may lose
// some; a group is a process group, which timeout(1) leaves, and who has left it
// is not found; the watch is the same. On Windows it builds and was not tried:
// PowerShell runs the commands, ending one ends its shell alone, and there is no
// watch: what a killed host has left loses its pipe and ends at its next word.
// Which processes are a command's is certain on Linux alone: elsewhere the next
// Open ends none, and the notice says which may live on. Landlock is Linux's:
// elsewhere it is sandbox_unavailable, and sandbox-exec by Wrap was not tried.
package shell
