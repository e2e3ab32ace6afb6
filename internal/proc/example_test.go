//go:build unix

package proc_test

import (
	"fmt"
	"os"

	"github.com/arcseat/arc/internal/proc"
)

func Example() {
	var said []byte
	pipe, write, err := proc.NewPipe(func(b []byte) { said = append(said, b...) })
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pipe.Close()
	g, err := proc.Start(proc.Command{
		Argv:   []string{"/bin/sh", "-c", "echo out; echo err >&2; exit 3"},
		Env:    os.Environ(),
		Stdout: write,
		Stderr: write,
	})
	write.Close()
	if err != nil {
		fmt.Println(err)
		return
	}
	code := g.Exit().Code
	<-pipe.EOF()
	fmt.Printf("%d %q\n", code, said)
	// Output: 3 "out\nerr\n"
}
