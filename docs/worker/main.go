package worker

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/arcseat/arc/docs"
)

// variable tells a process that it is a worker, and how much memory it may use:
// "1:536870912:8461-8462": the protocol's version, bytes, and what ties it to the
// worker's own pipes, so that it means nothing to a process that finds it in its
// environment by accident. It is all of the environment that a worker has.
const variable = "ARC_DOCS_WORKER"

// Main is the whole program of a worker. In a process that an [Engine] has
// started it serves files with the engine that open returns, and then exits; in
// any other it returns at once, so a program may call it as the first line of
// main. memory is what the engine itself had better keep to, in bytes: three
// quarters of what the process may use. An error of open is what the host's New
// says.
//
// What a program does before it calls Main, it does in each worker too: keep
// package-level variables and init functions cheap.
//
// Main limits its process before it reads a byte of a file. It ends with its
// host, also in the midst of a page and also if the host was killed.
func Main(open func(memory int64) (docs.Engine, error)) {
	memory, tie, ok := started(os.Getenv(variable))
	if !ok {
		return
	}
	in, out, file, ok := inherited(tie)
	if !ok {
		return // the variable came from elsewhere
	}
	os.Clearenv()
	runtime.GOMAXPROCS(1) // what watches the host and the clock runs while C reads a page; two wake each other for nothing
	if err := limit(memory); err != nil {
		fail(out, err)
	}
	engine, err := open(memory / 4 * 3)
	if err != nil {
		fail(out, err)
	}
	h := hello{Protocol: protocol, Engine: engine.Name()}
	if err := writeFrame(out, reply{Hello: &h}, ""); err != nil {
		os.Exit(exitHost)
	}
	_ = serve(watched(in), out, file, engine)
	os.Exit(exitHost)
}

// Exit codes, for whoever looks at a list of processes; the host goes by what
// was said before.
const (
	exitHost    = 0  // the host is gone or has done
	exitMissing = 69 // no engine, or no way to limit the process
)

func fail(out io.Writer, err error) {
	_ = writeFrame(out, reply{Hello: &hello{Protocol: protocol, Missing: err.Error()}}, "")
	os.Exit(exitMissing)
}

// started reads the worker's variable.
func started(value string) (memory int64, tie string, ok bool) {
	version, rest, ok := strings.Cut(value, ":")
	if _, err := strconv.Atoi(version); err != nil || !ok {
		return 0, "", false
	}
	bytes, tie, _ := strings.Cut(rest, ":")
	memory, err := strconv.ParseInt(bytes, 10, 64)
	return memory, tie, err == nil
}

// environment is what a worker's process is given.
func environment(memory int64, tie string) []string {
	return append(systemEnvironment(), fmt.Sprintf("%s=%d:%d:%s", variable, protocol, memory, tie))
}

// watched reads in on a goroutine of its own, which ends the process when the
// host's end of the pipe is closed: a call into C cannot be interrupted, but the
// process that makes it can end.
func watched(in io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, _ = io.Copy(w, in)
		os.Exit(exitHost)
	}()
	return r
}

// isWorker says whether this process is a worker itself: one that would start
// workers would start them without end. The variable alone is enough for that,
// as what a worker starts has it and not the pipes.
func isWorker() bool {
	_, _, ok := started(os.Getenv(variable))
	return ok
}
