//go:build unix

package worker

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// A host whose environment has a worker's variable by accident, and pipes where a
// worker's would be, is a host all the same. It starts no workers: it may be what one
// of them started.
func TestAVariableFromElsewhereMakesNoWorker(t *testing.T) {
	t.Parallel()
	in, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer theirs.Close()
	tie, err := tieOf(int(in.Fd()), int(theirs.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	other, back, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	defer back.Close()
	for name, value := range map[string]string{
		"without a tie": "1:536870912", "of other pipes": "1:536870912:" + tie, "of none": "1:536870912:0-0",
	} {
		t.Run(name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), os.Args[0], "stranger")
			c.Env = append(os.Environ(), fmt.Sprintf("%s=%s", variable, value))
			c.ExtraFiles = []*os.File{other, back}
			if out, err := c.Output(); err != nil || string(out) != "its own main runs: true" {
				t.Errorf("it says %q, %v", out, err)
			}
		})
	}
}
