// Package worker runs a [docs.Engine] in processes of their own, so that a
// hostile file costs a page and never the host.
//
// # Overview
//
// An [Engine] gives each open file a process, which it starts, limits, watches
// and ends. Parsers of PDF are large, are written in C, and end their process on
// errors that they did not expect; no call of theirs can be interrupted. Here
// that ends a worker. The page that did it is tried once more, alone, in another
// worker, and if it does it again it has an error, while all other pages are
// read as if nothing had been. The engine remembers such pages and pays for
// each of them once.
//
// A worker serves one file and then ends, so nothing of one file is there when
// the next is read. Replies come page by page; that is how the host knows which
// page to blame, and how the limit of time is each page's own.
//
// The package has no parser. Package fitz serves MuPDF in it.
//
// # Usage
//
// The worker is a program that calls [Main] before anything else: the host
// itself, started again, or a program of its own.
//
//	func main() {
//		worker.Main(newEngine) // does not return in a worker
//		…
//		engine, err := worker.New(ctx, &worker.Options{Reexec: true})
//		if err != nil {
//			return err // no worker is possible here
//		}
//		defer engine.Close()
//
// # Trust
//
// A worker is taken to be in the hands of the file that it reads. What it says
// is bounded (16 MiB a frame, 64 MiB a call) and checked, and what it may do is
// little: on Linux it has 512 MiB for data (RLIMIT_DATA), writes no files
// (RLIMIT_FSIZE) and no core, has 64 descriptors, an empty environment, a
// nameless directory, a session of its own, and four descriptors of the host's:
// the pipes for requests, for replies and for standard error, and the file. It ends with the host, also if that was killed
// (PR_SET_PDEATHSIG). It is no sandbox: a file that makes the parser run code of
// its own choice can read what the user can read. Whoever reads files of
// strangers on a machine with secrets puts the program into a container, or
// gives a Command that does.
//
// On other Unix systems memory is watched by the worker itself, every 50 ms, and
// files are limited; on Windows only time is. Both build, and were not tried.
//
// # Concurrency
//
// An Engine and its documents are safe for concurrent use. Calls for one
// document wait for each other, and no more documents are read at a time than
// [Options].MaxProcs; a long reading makes way for others every 12 pages. A
// document that is not being read keeps its worker until another needs the room,
// or for [Options].IdleTimeout. When a context ends, its worker is ended.
// [Engine.Close] leaves no process and no goroutine.
//
// # Errors
//
// Errors are those of package docs: what the engine in the worker said, or
// [docs.ErrTimeout], [docs.ErrMemory], [docs.ErrCrashed] for what happened to the
// worker, or [docs.ErrUnavailable] where there can be none.
package worker
