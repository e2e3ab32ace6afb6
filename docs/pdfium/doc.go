// Package pdfium reads PDF files with PDFium in a WebAssembly sandbox: the engine
// for hosts that want neither cgo nor the AGPL. It is a module of its own, so that
// no other host downloads it.
//
// # Overview
//
// An [Engine] is a docs.Engine. Each file is opened in a sandbox of its own: a
// fresh instance of PDFium with a memory limit and an empty file system, in the
// host's process. Nothing has to be installed, and nothing is started. PDFium is
// compiled to machine code when it is first needed and kept in a directory for the
// next run.
//
// When to choose it: the host's licence does not go with the AGPL; it is built
// without a C compiler; or a second opinion is wanted where another engine finds
// no page or no readable text. Chinese, Japanese and Korean text whose fonts are
// not in the file comes out readable here. For everything else docs/fitz is
// faster.
//
// What it costs, as ratios, since machines differ:
//
//   - text: about 3 times the CPU time of pdftotext on a book of 352 pages. Most of
//     that buys the time limits: without the checks in every loop it would be 2.5
//     times faster, and could not be stopped;
//   - the first start: 3 s on two idle cores and 15 s on busy ones, and 350 MB. From
//     the directory it is 0.1 s and 50 MB;
//   - each file: some milliseconds for a fresh sandbox, and up to MemoryBytes while
//     it is open, given back at once when it is closed;
//   - the program: about 11 MB larger. Only amd64 and arm64 have a compiler; elsewhere
//     the module is interpreted, which is very slow.
//
// What it does not read: values of form fields and text of annotations. Every file
// gets the warning form_and_annotation_text_not_read, and so does each page that
// has a field, a note or a stamp. It does no OCR. Layers that a viewer hides are
// read like the rest, as is invisible text. It says nothing of repairs that it
// makes. A password is tried as it is given, without the SASLprep that the newest
// encryption asks for beyond ASCII. A page of 600,000 characters fits into the
// default memory, one of 1.3 million does not and is an ErrMemory.
//
// # Usage
//
//	engine, err := pdfium.New(nil)
//	if err != nil {
//		return err
//	}
//	defer engine.Close()
//	if err := engine.Warm(ctx); err != nil { // compiles, or loads what was compiled
//		return err
//	}
//
// Give the engine to docs.New then. Without Warm the first file pays: on a busy
// machine it may be answered, after Options.StartTimeout, that the engine is still
// starting.
//
// # Trust
//
// A hostile file meets three limits. Time: all code in the sandbox looks at its
// context in every loop, so OpenTimeout, PageTimeout and the caller's context end
// it within moments, and none of it can hold up the host's garbage collector.
// Memory: the sandbox is refused what exceeds [Options.MemoryBytes]. It is reserved
// outside the Go heap where the system allows that (Unix), and one more sandbox's
// worth of the host's heap may go to page text and the sandbox's call stack. Reach:
// there is no file system, no network, no clock and no environment in there; the
// one thing it can read is the file. A sandbox that meets a limit or crashes is
// thrown away, and the page is tried once more in a fresh one if others had been
// read before it.
//
// What cannot be interrupted: a read from a file that hangs, as on a network disk;
// the copying of one page's text into the host, which the memory limit bounds; and
// the compiler, which nobody's context stops but Close. All of it is in one
// process: a fault in the WebAssembly runtime itself would be the host's. Who wants
// a second wall runs this engine in docs/worker too.
//
// The directory of the compiled module is as trusted as the program: what lies
// there is run. It is closed to other users.
//
// # Concurrency
//
// All methods may be called from many goroutines. One sandbox is at work at a time,
// or as many as Options.Sandboxes says; the others wait, until their context ends.
// More files than that may be open: one that has lost its sandbox to another is
// opened again, unseen, when something is asked of it. [Engine.Close] ends all that
// is being done and leaves no goroutine.
//
// # Errors
//
// A page's or a file's error is one of package docs: ErrEncrypted, ErrNotPDF,
// ErrDamaged, ErrPage, ErrTimeout, ErrMemory, ErrCrashed, and ErrUnavailable where
// the module does not compile, or is not compiled yet: the latter is an arc.Error
// too, with the code unavailable and the advice to try again. What ends with the caller's context gives that
// context's error; after Close it is os.ErrClosed. Nothing of a file's text is in
// an error or a log line.
//
// # Platforms
//
// Linux is tested. macOS and Windows build and were not tried; on Windows a sandbox
// is of the Go heap, which the garbage collector gives back when it comes by.
package pdfium
