package worker

import (
	"os"

	"github.com/arcseat/arc/internal/proc"
)

// fileVariable names the file: only the standard handles are handed on here.
const fileVariable = "ARC_DOCS_WORKER_FILE"

func connect(c *proc.Command, in, out, file *os.File) {
	c.Stdin, c.Stdout = in, out
	if file != nil {
		c.Env = append(c.Env, fileVariable+"="+file.Name())
	}
}

func inherited() (in, out, file *os.File, ok bool) {
	in, out = os.Stdin, os.Stdout
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

// systemEnvironment is what no program here starts without.
func systemEnvironment() []string { return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} }
