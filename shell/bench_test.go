//go:build linux

package shell_test

import (
	"os/exec"
	"testing"

	"github.com/arcseat/arc/shell"
)

// BenchmarkExec is to be read beside BenchmarkBash: their ratio is what a job
// costs over a bare command.
func BenchmarkExec(b *testing.B) {
	sh := open(b, nil)
	for b.Loop() {
		run(b, sh, shell.ExecArgs{Command: "echo hi"})
	}
}

func BenchmarkBash(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/bash", "-c", "echo hi").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
