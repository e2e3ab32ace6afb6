package worker

import (
	"os"

	"github.com/arcseat/arc/internal/proc"
	"golang.org/x/sys/windows"
)

// fileVariable names the file: only the standard handles are handed on here.
const fileVariable = "ARC_DOCS_WORKER_FILE"

// connect has no name for a pipe that both sides know; the tie is that standard
// input and output are pipes at all.
func connect(c *proc.Command, in, out, file *os.File) (tie string, err error) {
	c.Stdin, c.Stdout = in, out
	if file != nil {
		c.Env = append(c.Env, fileVariable+"="+file.Name())
	}
	return "pipes", nil
}

func inherited(tie string) (in, out, file *os.File, ok bool) {
	in, out = os.Stdin, os.Stdout
	if tie != "pipes" || !isPipe(in) || !isPipe(out) {
		return nil, nil, nil, false
	}
	os.Stdout = os.Stderr // what an engine prints is no frame
	if name := os.Getenv(fileVariable); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, nil, false
		}
		file = f
	}
	return in, out, file, true
}

func isPipe(f *os.File) bool {
	kind, err := windows.GetFileType(windows.Handle(f.Fd()))
	return err == nil && kind == windows.FILE_TYPE_PIPE
}

// systemEnvironment is what no program here starts without.
func systemEnvironment() []string { return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} }
